// What the drawings of games have in common: they get it in their kit.

import { capital, doing, waits } from "./choices.js";
import { el, svg, tag } from "./kit.js";

// Symbols: the path in 24 x 24, and its colour.
const SIGNS = {
  coin: ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "yellow"],
  sword: ["M20 3 9 14l-3-2-2 2 3 3-4 4 1 1 4-4 3 3 2-2-2-3L22 5V3z", "red"],
  shield: ["M12 2 4 5v7c0 5 4 8 8 10 4-2 8-5 8-10V5z", "blue"],
  card: ["M6 2h12v20H6zm2 2v16h8V4zm3 4h2v3h3v2h-3v3h-2v-3H8v-2h3z", "text"],
  bolt: ["M14 2 5 14h6l-2 8 10-13h-6z", "blue"],
  bag: ["M9 3h6l-1 4c5 3 6 7 6 14H4C4 14 5 10 10 7z", "green"],
  star: ["m12 2 3 7 7 1-5 5 1 7-6-4-6 4 1-7-5-5 7-1z", "green"],
  bin: ["M9 3h6v2h5v3H4V5h5zM6 9h12l-1 12H7z", "red"],
};

/** A symbol, with a number beside it. */
export function sign(name, number = "") {
  const [d, colour] = SIGNS[name];
  const picture = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", style: { fill: `var(--${colour})` } }, svg("path", { d }));
  return el("span", { class: "sign" }, number, picture);
}

/** What a card does: a list of text and [name of a symbol, number]. */
export const signed = (parts = []) => parts.map((part) => (typeof part === "string" ? part : sign(...part)));

/** Give a parent these children, and leave alone those that it has. */
export function fill(parent, nodes) {
  nodes.forEach((node, place) => {
    const old = parent.children[place];
    if (!old) parent.append(node);
    else if (old !== node) old.replaceWith(node);
  });
  while (parent.children.length > nodes.length) parent.lastChild.remove();
}

/** `once(place, key, make)`: what was made there before, if the key is the same; most of a table does
    not change in a step. */
export function keeper() {
  const made = new Map(); // place -> what stands there, and of what it was made
  return (place, key, make) => {
    const text = JSON.stringify(key);
    if (made.get(place)?.text !== text) made.set(place, { text, node: make() });
    return made.get(place).node;
  };
}

/** [[thing, number], ...] in the order in which they come first. */
export function tally(list) {
  const counts = new Map();
  for (const thing of list) counts.set(thing, (counts.get(thing) || 0) + 1);
  return [...counts];
}

/** A question that a drawing asks: null, or `question`; `picks` are indices of its choices. */
export class Asking {
  #table;
  #paint;
  #answer = null;
  #hadFocus = false; // when the last question was answered
  question = null;

  constructor(table, paint) {
    this.#table = table;
    this.#paint = paint;
  }

  ask(question, _, answer) {
    if (this.question && !question) this.#hadFocus = this.#table.contains(document.activeElement);
    this.question = question;
    this.#answer = answer;
    this.#paint();
    if (!question) return;
    if (this.#hadFocus) this.#focus();
    this.#hadFocus = false;
  }

  get picks() {
    return this.#answer?.picks ?? [];
  }

  /** The picks have changed, here or elsewhere. */
  picked() {
    if (this.question) this.#paint();
  }

  /** A button that chooses. */
  button(index, attributes, ...inside) {
    return el("button", { "data-choice": String(index), onclick: () => this.choose(index), ...attributes }, inside);
  }

  choose(index) {
    this.#answer.pick(index);
  }

  /** What a choice does, in words, and in a word. */
  doing = (index) => doing(this.question, [index]);
  verb = (index) => capital(this.question.choices[index].verb);

  /** What a card needs to be the button of a choice: {choose, does, notes}. `words` stand on it. */
  card(index, words = "") {
    const { question, picks } = this;
    const { barred } = question.choices[index];
    const places = picks.flatMap((pick, place) => (pick === index ? place + 1 : []));
    const pressed = waits(question, index) && !question.repeats && !barred ? String(places.length > 0) : null;
    const choose = { "data-choice": String(index), "aria-disabled": barred ? "true" : null, "aria-pressed": pressed, title: barred || this.doing(index), onclick: () => this.choose(index) };
    return { choose, does: this.doing(index), notes: places.length ? [question.most > 1 ? places.join(", ") : "chosen"] : words ? [words] : [] };
  }

  /** What sends all that is picked, and what sends nothing. */
  ends() {
    const { question, picks } = this;
    const { least, most, enter } = question;
    const inside = [];
    if (most > 1 || picks.length) {
      const some = least === most ? most : least ? `${least} to ${most}` : `up to ${most}`;
      const ready = picks.length >= Math.max(1, least);
      inside.push(
        most > 1 && el("p", { "aria-live": "polite" }, `Chosen: ${picks.length} of ${some}`),
        el("button", { class: "button text main", "data-choice": "send", "aria-disabled": ready ? null : "true", onclick: () => ready && this.#answer.send() }, picks.length ? doing(question, picks) : "Choose"),
        this.#answer.canUndo && el("button", { class: "button text", "data-choice": "back", onclick: () => this.#answer.undo() }, "Undo"),
      );
    }
    if (enter && !picks.length) {
      inside.push(el("button", { class: "button text main", "data-choice": "enter", onclick: () => this.#answer.send([]) }, capital(enter)));
    }
    return inside.filter(Boolean);
  }

  /** Paint, and put the focus back where it was. */
  keepFocus(paint) {
    const focused = this.#table.contains(document.activeElement) && document.activeElement;
    paint();
    if (focused && !focused.isConnected) this.#focus(focused.dataset.choice);
  }

  #focus(choice) {
    const again = choice && this.#table.querySelector(`[data-choice="${choice}"]`);
    (again || this.#table.querySelector("[data-choice]:not([aria-disabled])"))?.focus();
  }
}

// --- what drawings with zones share ----------------------------------------------------------------

/** A card: {card, name, cost, times, kind, sign, text, brief, notes, state, choose, does}. `kind` is a class, `sign` a
    letter or node that says the same, `text` is shown on demand, `brief` on the card, `choose` a button's attributes, `does` what it does. */
export function tile({ card, name = card, cost, times = 1, kind = "", sign: mark, text = "", brief = "", notes = [], state = "", choose, does, left }) {
  const said = [times > 1 && `${times} times`, kind, cost !== undefined && `costs ${cost}`, left !== undefined && `${left ?? "unknown number"} left`, ...notes, text];
  const attributes = {
    class: `card kind-${kind} ${state}`, "data-card": card, "data-count": left ?? times, "data-text": text,
    "aria-label": [does ?? name, ...said].filter(Boolean).join(", "), ...(choose ? { ...choose } : { role: "img", tabindex: left === undefined ? null : "0" }),
  };
  return el(
    choose ? "button" : "div", attributes,
    cost !== undefined && el("span", { class: "cost" }, cost),
    el("span", { class: "name" }, name),
    el("span", { class: "brief" }, brief),
    el("span", { class: "mark" }, mark),
    left !== undefined ? el("span", { class: "left" }, left ?? "–") : times > 1 && el("span", { class: "left" }, `×${times}`),
    notes.map((note) => el("span", { class: "note" }, note)),
  );
}

/** What happens now: who, the sentence on it, cards played, an arrow to what was got, and the counters. */
export class Stage {
  #once = keeper();

  constructor(box, seat) {
    this.seat = seat;
    this.title = el("h2", { class: "headline" });
    this.before = el("p", { class: "last" });
    this.played = el("div", { class: "played" });
    this.arrow = el("span", { class: "arrow", "aria-label": "gets" }, "→");
    this.got = el("div", { class: "got" });
    this.counters = el("dl", { class: "counters" });
    this.more = el("div", { class: "more" });
    box.append(el("div", { class: "stage" }, this.title, this.before, el("div", { class: "row" }, this.played, this.arrow, this.got), this.counters, this.more));
  }

  /** `otherwise` is said of the seat whose turn it is where nothing else is; `draw(card, times)` draws a card. In
      place of the cards played, `offer` are nodes to choose from. */
  paint({ mover, said, last, counters, played, got }, otherwise, draw, offer) {
    this.title.replaceChildren(...(said.length ? said : [mover === null ? "" : tag(this.seat(mover)), " ", otherwise]));
    this.before.replaceChildren(...(last.length ? ["before: ", ...last] : []));
    this.played.dataset.place = `${mover} play`;
    const cards = (name, list) => tally(list).map(([card, times]) => this.#once(`${name} ${card}`, times, () => draw(card, times)));
    this.played.classList.toggle("offer", Boolean(offer));
    fill(this.played, offer ?? cards("played", played));
    fill(this.got, offer ? [] : cards("got", got));
    this.arrow.hidden = Boolean(offer);
    this.arrow.classList.toggle("untold", !got.length);
    fill(this.counters, counters.map(([name, value]) => this.#once(name, value, () => el("div", null, el("dt", null, name), el("dd", null, value ?? "–")))));
  }
}

/** The line of a seat: its name, what stands in it, and its piles as [[name, number, place], ...]. */
export function seatLine({ glyph, name, colour }, { isNow, piles = [], faults = [], points, inside }) {
  return el(
    "article", { class: "seat-line", "data-current": isNow, style: { "--seat": colour } },
    el(
      "div", null,
      el("h2", null, tag({ glyph, name, colour }), isNow && el("span", { class: "unseen" }, " (to move)"), faults.map((code) => el("span", { class: "problem" }, ` ! ${code}`))),
      points,
      el("div", { class: "inside" }, inside),
      el("dl", { class: "piles" }, piles.map(([label, number, place]) => el("div", { "data-place": place }, el("dt", null, label), el("dd", null, number)))),
    ),
  );
}

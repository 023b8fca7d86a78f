// Parts that drawings of games share. They get them in their kit.

import { capital, doing, waits } from "./choices.js";
import { el, numeral, svg, tag } from "./kit.js";
import { does } from "./text.js";

// Symbols as 24 x 24 paths, and their colours.
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

/** Create a symbol with a number beside it. */
export function sign(name, number = "") {
  const [d, colour] = SIGNS[name];
  const picture = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", style: { fill: `var(--${colour})` } }, svg("path", { d }));
  return el("span", { class: "sign" }, numeral(number), picture);
}

/** Create the text of a card from a list of strings and [name of a symbol, number]. */
export const signed = (parts = []) => parts.map((part) => (typeof part === "string" ? part : sign(...part)));

/** Set the children of a parent, without touching those that are already in place. */
export function fill(parent, nodes) {
  nodes.forEach((node, place) => {
    const old = parent.children[place];
    if (!old) parent.append(node);
    else if (old !== node) old.replaceWith(node);
  });
  while (parent.children.length > nodes.length) parent.lastChild.remove();
}

/** Create a function `once(place, key, make)`. It calls `make` only if the key for this place has changed, because most
 *  of the table stays the same from step to step. */
export function keeper() {
  const made = new Map(); // place -> {text: the key as JSON, node}
  return (place, key, make) => {
    const text = JSON.stringify(key);
    if (made.get(place)?.text !== text) made.set(place, { text, node: make() });
    return made.get(place).node;
  };
}

/** Count equal things: [[thing, number], ...] in order of first appearance. */
export function tally(list) {
  const counts = new Map();
  for (const thing of list) counts.set(thing, (counts.get(thing) || 0) + 1);
  return [...counts];
}

/** The question that a drawing shows. `question` is null if there is none, and `picks` are indices of its choices. */
export class Asking {
  #table;
  #paint;
  #answer = null;
  #hadFocus = false; // when the last answer was sent
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

  /** Called after each change of the picks, wherever it was made. */
  picked() {
    if (this.question) this.#paint();
  }

  /** Create a button that picks a choice. */
  button(index, attributes, ...inside) {
    return el("button", { "data-choice": String(index), onclick: () => this.choose(index), ...attributes }, inside);
  }

  choose(index) {
    this.#answer.pick(index);
  }

  /** Describe a choice: a phrase, or only the verb. */
  doing = (index) => doing(this.question, [index]);
  verb = (index) => capital(this.question.choices[index].verb);

  /** Return {choose, does, notes}, which make a card the button of a choice. `words` are shown on the card. */
  card(index, words = "") {
    const { question, picks } = this;
    const { barred } = question.choices[index];
    const places = picks.flatMap((pick, place) => (pick === index ? place + 1 : []));
    const pressed = waits(question, index) && !question.repeats && !barred ? String(places.length > 0) : null;
    const choose = { "data-choice": String(index), "aria-disabled": barred ? "true" : null, "aria-pressed": pressed, title: barred || this.doing(index), onclick: () => this.choose(index) };
    return { choose, does: this.doing(index), notes: places.length ? [question.most > 1 ? places.join(", ") : "chosen"] : words ? [words] : [] };
  }

  /** Create the buttons that send the picks, or send an empty answer. */
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

  /** Paint without losing the keyboard focus. */
  keepFocus(paint) {
    const focused = /** @type {HTMLElement} */ (this.#table.contains(document.activeElement) && document.activeElement);
    paint();
    if (focused && !focused.isConnected) this.#focus(focused.dataset.choice);
  }

  #focus(choice) {
    const again = choice && this.#table.querySelector(`[data-choice="${choice}"]`);
    (again || this.#table.querySelector("[data-choice]:not([aria-disabled])"))?.focus();
  }
}

// --- parts for drawings with zones -----------------------------------------------------------------

/** Create a card from {card, name, cost, times, kind, sign, text, brief, notes, state, choose, does}. `kind` is a class, and
 *  `sign` shows it as a letter or node. `brief` is on the card, and `text` is shown on demand. `choose` has the attributes
 *  of a button, and `does` says what the button does. */
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

/** Where points come from: a bar of [[words, points, kind], ...]. The best score, `most`, has the full width. */
export function pointsOf(parts, most) {
  const known = parts.filter(([, points]) => points);
  const rest = known.reduce((left, [, points]) => left - Math.abs(points), most);
  return el("ul", { class: "points-of" }, [...known, ["", Math.max(rest, 0)]].map(([words, points, kind]) => el("li", { class: words ? `kind-${kind}` : null, style: { "--points": Math.abs(points) } }, words && [`${words} `, el("b", null, numeral(points))])));
}

/** What is going on now: whose turn it is, a sentence, the cards played, the cards that the player got, and counters. */
export class Stage {
  #once = keeper();

  constructor(box, seat) {
    this.seat = seat;
    this.title = el("h2", { class: "headline" });
    this.before = el("p", { class: "last" });
    this.box = box;
    this.played = el("div", { class: "played" });
    this.arrow = el("span", { class: "arrow", "aria-label": "gets" }, "→");
    this.got = el("div", { class: "got" });
    this.counters = el("dl", { class: "counters" });
    this.more = el("div", { class: "more" });
    box.append(el("div", { class: "stage" }, this.title, el("div", { class: "row" }, this.played, this.arrow, this.got), this.counters, el("div", { class: "rest" }, this.before, this.more)));
  }

  /** `otherwise` follows the name of the player if there is no sentence yet. `draw(card, times)` draws a card. If `offer` has
   *  nodes to choose from, they replace the cards played. */
  paint({ mover, said, last, counters, were, played, got, verdict }, otherwise, draw, offer) {
    this.box.toggleAttribute("data-ended", Boolean(verdict));
    this.title.replaceChildren(...(verdict ? verdict.title : said.length ? said : mover === null ? [otherwise] : does(this.seat(mover), otherwise)));
    this.before.replaceChildren(...(verdict ? verdict.reasons : last));
    this.played.dataset.place = `${mover} play`;
    const cards = (name, list) => tally(list).map(([card, times]) => this.#once(`${name} ${card}`, times, () => draw(card, times)));
    this.played.classList.toggle("offer", Boolean(offer));
    fill(this.played, offer ?? cards("played", played));
    fill(this.got, offer ? [] : cards("got", got));
    this.arrow.hidden = Boolean(offer);
    this.arrow.classList.toggle("untold", !got.length);
    fill(this.counters, counters.map(([name, value]) => {
      const was = were.get(name);
      const change = was && value !== null ? value - was : 0;
      return this.#once(name, [value, change], () => el("div", null, el("dt", null, name), el("dd", null, change !== 0 && el("span", { class: "dim" }, `${was} ${change < 0 ? "−" : "+"} ${Math.abs(change)} = `), value === null ? "–" : numeral(value))));
    }));
  }
}

/** Create the line of a seat: its name with its faults, its contents, and its piles as [[name, number, place], ...]. */
export function seatLine({ glyph, name, colour, index }, { isNow, piles = [], marks = [], points, inside }) {
  const faults = marks.filter((mark) => mark.seat === index && mark.code).map(({ code }) => code);
  return el(
    "article", { class: "seat-line", "data-current": isNow, style: { "--seat": colour } },
    el(
      "div", null,
      el("h2", null, tag({ glyph, name, colour }), isNow && el("span", { class: "unseen" }, " (to move)"), faults.map((code) => el("span", { class: "problem" }, ` ! ${code}`))),
      points,
      el("div", { class: "inside" }, inside),
      el("dl", { class: "piles" }, piles.map(([label, number, place]) => el("div", { "data-place": place }, el("dt", null, label), el("dd", null, numeral(number))))),
    ),
  );
}

// What the drawings of games have in common: they get it in their kit.

import { el, svg } from "./kit.js";

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

/** A text in which words are symbols: [[pattern, name of the symbol], ...], a pattern's group is the number. */
export function signed(text, words) {
  const found = words.flatMap(([pattern, name]) => [...text.matchAll(pattern)].map((match) => ({ match, name })));
  let from = 0;
  const parts = [];
  for (const { match, name } of found.sort((one, other) => one.match.index - other.match.index)) {
    parts.push(text.slice(from, match.index).replace(/^, /, " "), sign(name, match[1]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

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

/** What is named several times stands once: "2 Gold, Peck". */
export function listed(list) {
  return tally(list).map(([name, number]) => (number > 1 ? `${number} ${name}` : name)).join(", ");
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
    return el("button", { type: "button", "data-choice": String(index), onclick: () => this.choose(index), ...attributes }, inside);
  }

  choose(index) {
    this.#answer.pick(index);
  }

  send(picks) {
    this.#answer.send(picks);
  }

  /** What chooses all that is picked, and what chooses nothing; `words` stand on the first. */
  ends(words, main) {
    const { question, picks } = this;
    const { least, most, enter } = question;
    const inside = [];
    if (most > 1) {
      const some = least === most ? most : least ? `${least} to ${most}` : `up to ${most}`;
      const ready = picks.length >= Math.max(1, least);
      inside.push(
        el("p", { "aria-live": "polite" }, `Chosen: ${picks.length} of ${some}`),
        el("button", { type: "button", class: main, "data-choice": "send", "aria-disabled": ready ? null : "true", onclick: () => ready && this.send([...picks]) }, words),
        this.#answer.canUndo && el("button", { type: "button", "data-choice": "back", onclick: () => this.#answer.undo() }, "Undo"),
      );
    }
    if (enter && !picks.length) {
      inside.push(el("button", { type: "button", class: main, "data-choice": "enter", onclick: () => this.send([]) }, enter));
    }
    return inside;
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

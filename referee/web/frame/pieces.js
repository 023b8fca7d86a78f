// What the drawings of games have in common: they get it in their kit.

import { el } from "./kit.js";

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

/** A question that a drawing asks: null, or `question` and `picks`, indices of its choices. */
export class Asking {
  #table;
  #paint;
  #answer = null;
  #hadFocus = false; // when the last question was answered
  question = null;
  picks = [];

  constructor(table, paint) {
    this.#table = table;
    this.#paint = paint;
  }

  ask(question, answer) {
    this.question = question;
    this.#answer = answer;
    this.picks = [];
    this.#paint();
    if (this.#hadFocus && question) this.#focus();
    this.#hadFocus = false;
  }

  /** A button that chooses. */
  button(index, attributes, ...inside) {
    return el("button", { type: "button", "data-choice": String(index), onclick: () => this.choose(index), ...attributes }, inside);
  }

  choose(index) {
    const { most, repeats, choices } = this.question;
    const { key, barred } = choices[index];
    if (barred) return;
    if (key || most === 1) {
      this.send([index]);
      return;
    }
    const place = repeats ? -1 : this.picks.indexOf(index);
    if (place >= 0) this.picks.splice(place, 1);
    else if (this.picks.length < most) this.picks.push(index);
    this.#paint();
  }

  send(picks) {
    this.#hadFocus = this.#table.contains(document.activeElement);
    this.question = null;
    this.#paint();
    this.#answer(picks);
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

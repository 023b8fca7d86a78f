// The middle of the page: the game's drawing, or the turn in words where there is none.

import { el, plain, svg } from "./kit.js";
import { lively, moving } from "./motion.js";
import { Asking, fill, keeper, listed, sign, signed, tally } from "./pieces.js";
import { shown } from "./text.js";

/** The table. `drawing` is the game's module, or null. */
export class Table {
  #app;
  #game = null;
  #turn = null;
  #step = -1; // that is drawn
  #aside = null; // the nodes of the drawing while words are shown, because it failed

  constructor(app, drawing) {
    this.#app = app;
    this.drawing = drawing;
    this.place = el("div", { class: "drawing" });
    this.element = el("section", { class: "table", "aria-label": "Table" }, this.place);
    this.watcher = new ResizeObserver(() => {
      const { clientWidth } = this.place;
      if (!this.#game || this.width === clientWidth) return;
      this.width = clientWidth;
      this.update();
    });
    this.redraw = () => this.#game && this.update();
    addEventListener("dressed", this.redraw);
  }

  /** Begin with a match, or with another header of it. */
  reset() {
    const { match, seat } = this.#app;
    this.#turn = this.#aside = null;
    this.#game?.unmount?.();
    this.#game = null;
    this.place.replaceChildren();
    if (!this.drawing) return;
    this.#try(() => {
      this.#game = this.drawing.mount(this.place, match.header, { el, svg, seat, Asking, fill, keeper, listed, sign, signed, tally });
      this.watcher.observe(this.place);
    });
  }

  // A drawing that fails leaves the words at this step, and is tried again at the next one.
  #try(action, failed) {
    try {
      return action();
    } catch (error) {
      console.error(error);
      return failed;
    }
  }

  #draw(draw) {
    if (this.#aside) this.place.replaceChildren(...this.#aside);
    this.#aside = null;
    if (this.#try(() => (draw(), true), false)) return;
    this.#aside = [...this.place.childNodes];
    this.#turn = null;
    this.place.replaceChildren();
  }

  update() {
    const { match, step, eyes, state } = this.#app;
    if (this.#game) {
      this.width ??= this.place.clientWidth; // to ask at each step would cost a layout
      const { turn, marks = [] } = match.steps[step];
      const { seats } = match.turns.get(turn) ?? {}; // whose turn it is
      const moves = lively() && (state.follows || Math.abs(step - this.#step) === 1) && !(state.playing && state.speed > 4);
      this.#step = step;
      const ended = step === match.last && Boolean(match.header.outcome);
      const draw = () => this.#game.draw(match.view(eyes, step), match.view(eyes, step - 1), { eyes, width: this.width, step, marks, seats, ended, moves });
      this.#draw(() => (moves ? moving(this.place, draw) : draw()));
    }
    if (!this.#game || this.#aside) this.#words();
  }

  #words() {
    const { match, turn } = this.#app;
    const told = match.turns.get(turn);
    if (told === this.#turn && this.place.hasChildNodes()) return;
    this.#turn = told;
    this.place.replaceChildren(
      el("h2", null, told ? `Turn ${turn}` : "Before the first turn", told?.title && el("span", { class: "dim" }, ` ${told.title}`)),
      el("div", { class: "words" }, shown(told?.show ?? [], true)),
    );
    if (told && !told.show.length) this.place.append(el("p", { class: "dim" }, "Nothing happened in this turn."));
  }

  /** The symbols of the drawing, each with its words; may be missing. */
  get legend() {
    return this.#game?.legend ?? [];
  }

  /** Whether the drawing shows questions. */
  get asks() {
    return Boolean(this.#game?.ask);
  }

  /** Have the drawing show a question, or none. */
  ask(question, answer) {
    if (this.asks) this.#try(() => this.#game.ask(question, (picks) => answer.send(picks), answer));
  }

  /** The picks have changed. */
  picked() {
    this.#try(() => this.#game?.picked?.());
  }

  /** A sentence on the current step. */
  describe() {
    const { match, step, eyes } = this.#app;
    const said = this.#game?.describe && this.#try(() => this.#game.describe(match.view(eyes, step), match.view(eyes, step - 1)));
    return plain(said ?? "");
  }

  close() {
    this.watcher.disconnect();
    removeEventListener("dressed", this.redraw);
    this.#game?.unmount?.();
  }
}

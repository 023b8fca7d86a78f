// The middle of the page: the drawing of the game, or the turn in words if there is no drawing.

import { el, numeral, plain, svg, tag } from "./kit.js";
import { boxesIn } from "./layout.js";
import { lively, moved } from "./motion.js";
import { Asking, Stage, fill, keeper, pointsOf, seatLine, sign, signed, tally, tile } from "./pieces.js";
import { sentence, sentenceOf, shown } from "./text.js";
import { lossAt, verdictOf } from "./verdict.js";

/** The table. `drawing` is the game's module, or null. */
export class Table {
  #app;
  #game = null;
  #turn = null;
  #step = -1; // the step that is drawn
  #aside = null; // nodes of a drawing that failed, while words are shown instead

  constructor(app, drawing) {
    this.#app = app;
    this.drawing = drawing;
    this.place = el("div", { class: "drawing" });
    this.note = el("div", { class: "card-text", popover: "auto", role: "note" });
    this.element = el("section", { class: "table", "aria-label": "Table" }, this.place, this.note);
    this.place.addEventListener("click", ({ target }) => target.closest("button") || this.#explain(target));
    this.place.addEventListener("focusin", ({ target }) => this.#explain(target));
    this.place.addEventListener("focusout", () => this.note.matches(":popover-open") && this.note.hidePopover());
    this.redraw = () => this.#game && this.update();
    addEventListener("dressed", this.redraw);
  }

  /** Start with a new match, or with a new header of the same match. */
  reset() {
    const { match, seat } = this.#app;
    this.#turn = this.#aside = null;
    this.#game?.unmount?.();
    this.#game = null;
    this.place.replaceChildren();
    this.place.className = "drawing";
    if (!this.drawing) return;
    const { header } = match;
    const isSeat = this.#app.state.mode === "seat";
    this.#try(() => {
      const boxes = boxesIn(this.place, this.drawing.zones(header, isSeat));
      this.place.classList.add("zones");
      this.#game = this.drawing.mount(boxes, header, { el, svg, seat, tag, numeral, Asking, Stage, fill, keeper, pointsOf, seatLine, sign, signed, tally, tile });
    });
  }

  // Show the full text of a card beside it.
  #explain(target) {
    const card = target.closest("[data-text]");
    if (!card?.dataset.text || !card.matches(":focus-visible, :hover")) return;
    this.note.textContent = `${card.querySelector(".name").textContent}: ${card.dataset.text}`;
    const { left, bottom, top } = card.getBoundingClientRect();
    this.note.style.setProperty("left", `${Math.max(Math.min(left, innerWidth - 300), 4)}px`);
    this.note.style.setProperty(...(bottom + 90 < innerHeight ? ["top", `${bottom + 6}px`] : ["top", `${Math.max(top - 84, 4)}px`]));
    this.note.showPopover();
  }

  // If a drawing fails, this step is shown in words. The next step tries it again.
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
      const { turn, marks = [] } = match.steps[step];
      const { seats } = match.turns.get(turn) ?? {}; // whose turn it is
      const moves = lively() && (state.follows || Math.abs(step - this.#step) === 1) && !(state.playing && state.speed > 4);
      this.#step = step;
      const ended = step === match.last && Boolean(match.header.outcome);
      const [view, before] = [match.view(eyes, step), match.view(eyes, step - 1)];
      const frame = { view, before, eyes, step, marks, ended, isMoving: moves, ...this.#frameOf(match, step, eyes, seats) };
      const draw = () => this.#game.draw(frame);
      this.#draw(() => (moves ? moved(this.place, match.steps[step].moves?.[eyes] ?? [], draw) : draw()));
    }
    if (!this.#game || this.#aside) this.#words();
  }

  // Collect the data that a drawing with zones gets in addition to the view.
  #frameOf(match, step, eyes, seats = []) {
    const { state: { own }, nameOfSeat } = this.#app;
    const { seat: owner = null, counters = [], did, played = [], got = [] } = match.now(eyes, step);
    const isOver = step === match.last && match.header.outcome;
    const mover = isOver ? null : owner ?? (seats.length === 1 ? seats[0] : null);
    const last = match.turnBefore(step);
    const player = (index) => tag(this.#app.seat(index));
    const said = did?.length ? sentence(did, player, own) : match.closes(step) ? sentenceOf(match.turns.get(match.steps[step].turn), player, own) : [];
    const loss = lossAt(match, step, this.#app.seat);
    const shows = !isOver || isOver.winners.includes(owner ?? seats[0]);
    const earlier = match.steps[step - 1]?.turn === match.steps[step].turn ? match.now(eyes, step - 1) : null;
    return {
      later: this.#app.state.paced ? match.view(eyes, match.last) : null,
      low: own ?? (/^\d+$/.test(eyes) ? Number(eyes) : 0),
      mover, counters, seats, played: shows ? played : [], got: shows ? got : [],
      were: earlier?.seat === owner ? new Map(earlier?.counters) : new Map(),
      said: loss?.said ?? said,
      last: loss ? [loss.words] : last?.line.length ? ["before: ", ...sentenceOf(last, nameOfSeat, own)] : [],
      verdict: isOver ? verdictOf(match, this.#app.seat) : null,
      turns: match.turns,
    };
  }

  #words() {
    const { match, step, turn } = this.#app;
    const current = match.turns.get(turn);
    const told = current && !current.title ? match.turnBefore(step) ?? current : current; // until a turn is over, show the one before
    if (told === this.#turn && this.place.hasChildNodes()) return;
    this.#turn = told;
    this.place.replaceChildren(
      el("h2", null, told ? `Turn ${told.turn}` : "Before the first turn", told?.title && el("span", { class: "dim" }, ` ${told.title}`)),
      el("div", { class: "words" }, shown(told?.show ?? [], true)),
    );
    if (told?.title && !told.show.length) this.place.append(el("p", { class: "dim" }, "Nothing happened in this turn."));
  }

  /** The drawing's symbols with their meanings, if it has any. */
  get legend() {
    return this.#game?.legend ?? [];
  }

  /** True if the drawing shows questions. */
  get asks() {
    return Boolean(this.#game?.ask);
  }

  /** True if the drawing can show the cards of all piles. */
  get hasCards() {
    return Boolean(this.#game?.cards);
  }

  /** Let the drawing show the cards of all piles in a box. */
  cards(box) {
    this.#try(() => this.#game?.cards(box));
  }

  /** Let the drawing show a question. null removes it. */
  ask(question, answer) {
    if (this.asks) this.#try(() => this.#game.ask(question, (picks) => answer.send(picks), answer));
  }

  /** Called when the picks have changed. */
  picked() {
    this.#try(() => this.#game?.picked?.());
  }

  /** Describe the current step in a sentence. */
  describe() {
    const { match, step, eyes } = this.#app;
    if (!this.#game) return "";
    return plain(el("p", null, this.#frameOf(match, step, eyes).said).textContent);
  }

  close() {
    removeEventListener("dressed", this.redraw);
    this.#game?.unmount?.();
  }
}

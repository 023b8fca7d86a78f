// The answer of the person at a seat. The state has a draft. The table, the list, the field and the
// keys all change this draft, so they can be combined.

import { toggled, waits } from "./choices.js";

/** The operations on the draft. `sure(doubt)` asks for confirmation of a move that may be a mistake. */
export class Answer {
  #app;
  #sure;

  constructor(app, sure) {
    this.#app = app;
    this.#sure = sure;
  }

  /** Indices of the picked choices. */
  get picks() {
    return this.#app.state.draft?.picks ?? [];
  }

  /** True if a pick can be undone. */
  get canUndo() {
    return Boolean(this.#app.state.draft?.past.length);
  }

  /** Pick a choice, or undo it. Send it, unless more picks or a confirmation are needed. */
  pick(index) {
    const { question } = this.#app.state.ask ?? {};
    if (!question || question.choices[index].barred) return;
    if (waits(question, index)) this.set(toggled(question, this.picks, index));
    else this.send([index]);
  }

  set(picks) {
    this.#app.dispatch({ type: "pick", picks });
  }

  undo() {
    this.#app.dispatch({ type: "undo" });
  }

  /** Send the draft or other picks. Sending null leaves the match. */
  async send(picks = this.picks) {
    const { ask, draft } = this.#app.state;
    if (!ask || draft.sending) return;
    const { request, question } = ask;
    this.#app.dispatch({ type: "send", request });
    const doubt = picks && (picks.length ? picks : [-1]).map((pick) => question.doubts[pick]).find(Boolean);
    if (doubt && !(await this.#sure(doubt))) {
      this.#app.dispatch({ type: "keep", request });
      return;
    }
    try {
      await this.#app.source.answer(request, picks);
      this.#app.dispatch({ type: "answered", request });
    } catch (error) {
      this.#app.dispatch({ type: "keep", request, problem: error.message });
    }
  }
}

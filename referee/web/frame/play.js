// The only timer of the page: during playback, it requests the next steps.

import { PACE } from "./store.js";

/** Follows the state: `follow(state)` after each change, `due(steps)` is called when steps are due. */
export class Playing {
  #due = 0;
  #timer = 0;
  #speed = 0; // 0: not playing

  constructor(due) {
    this.due = due;
  }

  follow({ playing, paced, speed }) {
    const now = playing ? (paced ? PACE : speed) : 0;
    if (now === this.#speed) return;
    this.#speed = now;
    clearTimeout(this.#timer);
    if (!now) return;
    this.#due = performance.now() + 1000 / now;
    this.#wait();
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), Math.max(this.#due - performance.now(), 0));
  }

  // If we are late, go several steps at once, but at most 5. Any other delay makes the playback longer.
  #tick() {
    const speed = this.#speed;
    const late = Math.max(performance.now() - this.#due, 0);
    const steps = 1 + Math.min(Math.floor((late * speed) / 1000), 4);
    this.#due = Math.max(this.#due + (steps * 1000) / speed, performance.now());
    this.due(steps);
    if (this.#speed) this.#wait();
  }
}

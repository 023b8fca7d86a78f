// What the page adds while a match is being played: that it is live, whose turn it is, and how long ago the last
// message was.

import { el } from "./kit.js";
import { does } from "./text.js";

/** The mark of a live match. Its timer runs only while the match is live and the page is visible. */
export class Live {
  #timer = 0;
  #who = el("span");
  #since = el("span", { class: "since" });
  element = el("p", { class: "on-air", hidden: true }, el("b", null, "LIVE"), " ", this.#who, " ", this.#since);

  /** Show or hide the mark. `movers` are seats as in `kit.seats`. If there are several, some may have replied already, and
   *  the referee keeps that to itself until all have. So we do not name them. */
  follow(match, mode, movers) {
    const isLive = mode === "live";
    this.element.hidden = !isLive;
    clearInterval(this.#timer);
    if (!isLive) return;
    const [one] = movers.length === 1 ? movers : [];
    this.#who.replaceChildren(...(one ? does(one, "thinks") : [movers.length ? "waiting for replies" : ""]));
    const tell = () => (this.#since.textContent = `for ${clock(Date.now() / 1000 - (match.heard ?? Date.now() / 1000))}`);
    tell();
    this.#timer = setInterval(() => document.hidden || tell(), 1000);
  }

  close() {
    clearInterval(this.#timer);
  }
}

/** Format seconds: "7 s", "2:05". */
export function clock(seconds) {
  const whole = Math.max(Math.round(seconds), 0);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

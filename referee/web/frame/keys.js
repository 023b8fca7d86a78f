// Keyboard shortcuts, and the dialog that lists them.

import { el, remember, remembered } from "./kit.js";

/** Shortcuts: [keys, action, displayed keys, description]
 *  @type {[string[], string, string, string][]} */
const KEYS = [
  [[" "], "play", "Space", "play, pause"],
  [["ArrowLeft"], "back", "←", "step back"],
  [["ArrowRight"], "on", "→", "step on"],
  [["PageUp"], "turnBack", "PageUp", "turn back"],
  [["PageDown"], "turnOn", "PageDown", "turn on"],
  [["Home"], "first", "Home", "to the start"],
  [["End"], "last", "End", "to the end"],
  [["e"], "eventOn", "e", "moment on"],
  [["E"], "eventBack", "E", "moment back"],
  [["g"], "turnField", "g", "go to a turn"],
  [["+", "="], "faster", "+", "faster"],
  [["-"], "slower", "-", "slower"],
  [["0"], "eyes all", "0", "see everything"],
  [["p"], "eyes public", "p", "see what is public"],
  [["1", "2", "3", "4", "5", "6", "7", "8", "9"], "eyes", "1 2 3 4", "see as a seat"],
  [["t"], "tab turns", "t", "turns"],
  [["o"], "tab cards", "o", "cards"],
  [["c"], "tab curves", "c", "curves"],
  [["l"], "tab lines", "l", "lines"],
  [["s"], "tab stderr", "s", "stderr"],
  [["m"], "tab moments", "m", "how it turned"],
  [["d"], "theme", "d", "dark or light"],
  [["?", "k"], "help", "?, k", "symbols and these keys"],
  [["Escape"], "close", "Esc", "close, leave a field"],
];

const ALWAYS = new Set(["?", "Escape"]); // the switch must be found again

/** Call `act(action)` for shortcuts. */
export class Keys {
  #act;
  #listen = (event) => this.#onKey(event);

  constructor(act) {
    this.#act = act;
    this.on = remembered("keys") !== "off";
    this.actions = new Map();
    for (const [keys, action] of KEYS) {
      for (const key of keys) this.actions.set(key, action === "eyes" ? `eyes ${Number(key) - 1}` : action);
    }
    this.check = el("input", { type: "checkbox", checked: this.on, onchange: () => {
      this.on = this.check.checked;
      remember("keys", this.on ? "on" : "off");
    } });
    this.symbols = el("dl", { class: "keys" });
    this.dialog = el(
      "dialog",
      { class: "dialog", "aria-labelledby": "keys-title" },
      el("h2", { id: "keys-title" }, "Symbols and keys"),
      this.symbols,
      el("label", { class: "switch" }, this.check, " Keys are on"),
      el("dl", { class: "keys" }, KEYS.map(([, , shown, words]) => el("div", null, el("dt", null, shown.split(" ").map((key) => [el("kbd", null, key), " "])), el("dd", null, words)))),
      el("form", { method: "dialog" }, el("button", { class: "button text" }, "Close")),
    );
    document.addEventListener("keydown", this.#listen);
  }

  /** Explain the symbols of a game: [[symbol, words], ...]. */
  explain(legend) {
    this.symbols.replaceChildren(...legend.map(([symbol, words]) => el("div", null, el("dt", null, symbol), el("dd", null, words))));
  }

  help() {
    if (!this.dialog.open) this.dialog.showModal();
  }

  close() {
    document.removeEventListener("keydown", this.#listen);
    this.dialog.remove();
  }

  #onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!this.on && !ALWAYS.has(event.key)) return;
    const { target } = event;
    if (document.querySelector("dialog[open]")) return; // Esc closes it by itself
    // A dialog may keep the focus for a moment after it is closed.
    if (!this.dialog.contains(target) && target.matches("input:not([type=range]), select, textarea, [contenteditable]")) return;
    if (event.key === " " && target.closest("button, a, summary")) return;
    const action = this.actions.get(event.key);
    if (!action || this.#act(action) === false) return;
    event.preventDefault();
  }
}

// The panels as tabs. Only the visible panel is drawn. In a wide window, turns have their own column.

import { el } from "./kit.js";

/** Matches if the page has two columns, and the second has room for tabs and turns. */
export const WIDE = "(min-width: 60rem) and (min-height: 40rem)";

/** The tabs. `panels` is {name: panel}. A panel has `title`, `key`, `element`, `reset` and `update`. */
export class Tabs {
  #app;
  #stale = new Set();
  #dressed = "";

  constructor(app, panels) {
    this.#app = app;
    this.panels = panels;
    this.names = Object.keys(panels);
    this.buttons = {};
    for (const [name, panel] of Object.entries(panels)) {
      this.buttons[name] = el(
        "button",
        { role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, title: `${panel.title} (${panel.key})`, onclick: () => app.show(name) },
        panel.title,
        el("span", { class: "badge" }),
      );
      panel.element.id = `panel-${name}`;
      panel.element.tabIndex = 0;
      panel.element.classList.add("panel");
    }
    this.bar = el("div", { role: "tablist", class: "tabbar", "aria-label": "About the match", onkeydown: (event) => this.#onKey(event) }, Object.values(this.buttons));
    this.aside = el("nav", { class: "aside", "aria-label": "Turns" }, el("h2", null, "Turns", el("span", null, "score after")));
    this.element = el("aside", { class: "tabs", "aria-label": "More of the match" }, this.bar, Object.values(panels).map((panel) => panel.element));
    this.media = matchMedia(WIDE);
    this.media.addEventListener("change", () => {
      this.arrange();
      if (app.match) this.update();
    });
    this.arrange();
    this.print = () => app.match && ["turns", "curves"].forEach((name) => this.#draw(name));
    addEventListener("beforeprint", this.print);
  }

  close() {
    removeEventListener("beforeprint", this.print);
  }

  /** The name of the visible tab. Unknown or hidden tabs are replaced by the first one. */
  get shown() {
    const { tab } = this.#app;
    if (this.names.includes(tab) && !this.buttons[tab].hidden) return tab;
    return "moments";
  }

  arrange() {
    this.wide = this.media.matches; // asking again at each step would force a layout
    const turns = this.panels.turns.element;
    if (this.wide) this.aside.append(turns);
    else this.bar.after(turns);
    this.aside.hidden = !this.wide;
    this.buttons.turns.hidden = this.wide;
    this.buttons.cards.hidden = !this.#app.table.hasCards;
  }

  /** Update to a match that is new or has grown. */
  reset() {
    for (const name of this.names) this.#stale.add(name);
    const { match } = this.#app;
    this.#badge("moments", match.moments.filter(({ kind }) => kind === "fault" || kind === "disqualified").length);
    this.#badge("stderr", match.said.length);
  }

  #badge(name, count) {
    this.buttons[name].querySelector(".badge").textContent = count || "";
  }

  update() {
    const { shown, wide } = this;
    if (this.#dressed !== shown + wide) this.#dress(shown);
    this.#dressed = shown + wide;
    for (const name of this.names) if (!this.panels[name].element.hidden) this.#draw(name);
  }

  #draw(name) {
    if (this.#stale.delete(name)) this.panels[name].reset();
    this.panels[name].update();
  }

  // Setting `tabIndex` causes a layout, so set it only if the tab has changed.
  #dress(shown) {
    for (const [name, { element }] of Object.entries(this.panels)) {
      const apart = name === "turns" && this.wide;
      this.buttons[name].setAttribute("aria-selected", name === shown);
      this.buttons[name].tabIndex = name === shown ? 0 : -1;
      element.hidden = name !== shown && !apart;
      element.role = apart ? null : "tabpanel";
      if (apart) element.removeAttribute("aria-labelledby");
      else element.setAttribute("aria-labelledby", `tab-${name}`);
    }
  }

  #onKey(event) {
    const seen = this.names.filter((name) => !this.buttons[name].hidden);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const to = seen[(seen.indexOf(this.shown) + by + seen.length) % seen.length];
    this.#app.show(to);
    this.buttons[to].focus();
  }
}

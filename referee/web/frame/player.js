// The playback bar: shows the position in the match, and moves to others.

import { el, icon, svg } from "./kit.js";
import { Lead } from "./lead.js";
import { SPEEDS, seenTo } from "./store.js";

const MARKS = ["lead", "think", "decided", "fault", "disqualified", "end"];
const HIGH = ["decided", "disqualified", "end"]; // tall marks
const PLAY = "M8 5v14l11-7z";
const PAUSE = "M7 5h4v14H7zM13 5h4v14h-4z";
const BUTTONS = [
  ["first", "To the beginning", "Home", "M6 5h2v14H6zM18 5v14l-9-7z"],
  ["turnBack", "Turn back", "PageUp", "M12 5v14l-9-7zM21 5v14l-9-7z"],
  ["back", "Step back", "Left", "M15 5v14l-10-7zM17 5h2v14h-2z"],
  ["play", "Play", "Space", PLAY],
  ["on", "Step on", "Right", "M9 5v14l10-7zM5 5h2v14H5z"],
  ["turnOn", "Turn on", "PageDown", "M12 5v14l9-7zM3 5v14l9-7z"],
  ["last", "To the end", "End", "M16 5h2v14h-2zM6 5v14l9-7z"],
];

/** The bar below the table. */
export class Player {
  #app;
  #header = null; // the header for which the list of viewers was made
  #drawn = ""; // the step and version for which marks and leads were drawn

  constructor(app) {
    this.#app = app;
    this.range = el("input", {
      type: "range", min: "0", max: "0", step: "1", "aria-label": "Step", class: "range",
      oninput: () => app.go(Number(this.range.value)),
    });
    this.ticks = svg("svg", { class: "ticks", viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" }, MARKS.map((kind) => svg("path", { class: `tick-${kind}` })));
    this.lead = new Lead();
    this.buttons = {};
    for (const [name, label, key, path] of BUTTONS) {
      this.buttons[name] = el(
        "button",
        { class: "button", "aria-label": label, title: `${label} (${key})`, onclick: () => app.act(name) },
        icon(path),
      );
    }
    this.turn = el("input", {
      type: "text", inputmode: "numeric", autocomplete: "off", class: "number", "aria-label": "Go to turn",
      onchange: () => app.goToTurn(this.turn.value),
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === "Escape") {
          if (event.key === "Escape") this.turn.value = app.turn;
          this.turn.blur();
        }
      },
      onfocus: () => this.turn.select(),
    });
    this.of = el("span", { class: "dim of" });
    this.speedField = el(
      "select",
      { "aria-label": "Speed, steps a second", onchange: () => app.dispatch({ type: "speed", speed: Number(this.speedField.value) }) },
      SPEEDS.map((speed) => el("option", { value: speed }, `${speed}×`)),
    );
    this.eyes = el("select", { "aria-label": "Eyes", onchange: () => app.look(this.eyes.value) });
    this.live = el("button", { class: "button live", hidden: true, onclick: () => app.act("last") }, "live");
    this.element = el(
      "section",
      { class: "player", "aria-label": "Player" },
      el("div", { class: "track" }, this.lead.element, this.ticks, this.range),
      el("div", { class: "buttons" }, Object.values(this.buttons)),
      el(
        "div",
        { class: "fields" },
        el("label", { class: "field" }, el("span", { class: "word" }, "Turn"), this.turn, this.of),
        this.speedField,
        this.eyes,
        this.live,
      ),
    );
  }

  /** Update to a match that is new or has grown. */
  reset() {
    const { match, seat } = this.#app;
    this.range.max = match.last;
    if (this.#header !== match.header) { // keep the list if it is open
      this.#header = match.header;
      const named = { all: "sees everything", public: "sees what is public" };
      const options = match.header.viewers.map((viewer) => (
        el("option", { value: viewer }, named[viewer] ?? `sees as ${seat(viewer).glyph} ${seat(viewer).name.slice(0, 40)}`)
      ));
      this.eyes.replaceChildren(...options);
      this.eyes.hidden = options.length < 2;
    }
    const turns = match.order.at(-1) ?? 0;
    this.of.textContent = match.header.outcome || match.header.kind !== "live" ? `of ${turns}` : `of ${turns} so far`;
  }

  // Draw the marks and the lead, but only up to the last step that may be revealed.
  #tell(to, version) {
    const drawn = `${to} ${version}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const { match, seat } = this.#app;
    this.lead.draw(match, seat, to);
    const paths = Object.fromEntries(MARKS.map((kind) => [kind, ""]));
    for (const { at, kind } of match.moments) {
      if (at > to) continue;
      const x = match.last ? ((at / match.last) * 1000).toFixed(1) : 0;
      paths[kind] += `M${x} ${HIGH.includes(kind) ? 0 : 4}V10`;
    }
    MARKS.forEach((kind, place) => this.ticks.children[place].setAttribute("d", paths[kind]));
  }

  update() {
    const app = this.#app;
    const { match, step, turn } = app;
    this.#tell(seenTo(app.state), app.state.version);
    this.range.value = step;
    this.range.setAttribute("aria-valuetext", `turn ${turn}, step ${step} of ${match.last}`);
    if (document.activeElement !== this.turn) this.turn.value = turn;
    this.eyes.value = app.eyes;
    for (const name of ["first", "turnBack", "back"]) this.#bar(name, step === 0);
    for (const name of ["on", "turnOn", "last"]) this.#bar(name, step === match.last);
    this.live.hidden = app.state.mode !== "live" || step === match.last;
    this.speedField.value = app.state.speed;
    this.#dress(app.state.playing);
  }

  // `disabled` would remove the focus from a button that is being used.
  #bar(name, barred) {
    this.buttons[name].setAttribute("aria-disabled", barred);
  }

  #dress(playing) {
    const { play } = this.buttons;
    const label = playing ? "Pause" : "Play";
    if (play.title.startsWith(label)) return;
    play.replaceChildren(icon(playing ? PAUSE : PLAY));
    play.setAttribute("aria-label", label);
    play.title = `${label} (Space)`;
  }
}

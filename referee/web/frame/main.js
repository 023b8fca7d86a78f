// The match page.
//
//   start(root, source, drawing)   shows a match, and returns {close()}. `drawing` is the game's module, or null

import { Curves } from "./curves.js";
import { Match } from "./data.js";
import { Keys } from "./keys.js";
import { el, icon, numeral, plain, remember, remembered, seats, tag } from "./kit.js";
import { Live } from "./live.js";
import { lively } from "./motion.js";
import { Cards, Lines, Moments, Stderr, Turns } from "./panels.js";
import { Address, readPlace, writePlace } from "./place.js";
import { Playing } from "./play.js";
import { Player } from "./player.js";
import { SPEEDS, begin, reduce } from "./store.js";
import { Table } from "./table.js";
import { Tabs } from "./tabs.js";
import { dressed, themeButton, toggleTheme } from "./theme.js";
import { endOf, resultOf } from "./verdict.js";

const ABOUT = "M11 10h2v7h-2zM11 6.5h2v2h-2zM12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 2a8 8 0 1 1 0 16 8 8 0 0 1 0-16z";

class App {
  #frame = 0; // request id of the next paint
  #grew = 0; // version of the match that was painted last
  #lines = null; // promise of the lines

  constructor(root, source, drawing, number) {
    this.root = root;
    this.source = source;
    this.state = reduce(begin(source.kind), { type: "result", on: remembered("result") !== "off" });
    this.number = number; // number of the match, if the file has several
    this.list = number && "#"; // link to the list of matches in a file. Served pages have links above the match
    this.address = new Address();
    this.table = new Table(this, drawing);
    this.place = source.place?.(this); // the panel of the person who plays, if any
    this.player = new Player(this);
    this.tabs = new Tabs(this, {
      moments: new Moments(this),
      turns: new Turns(this),
      cards: new Cards(this),
      curves: new Curves(this),
      lines: new Lines(this),
      stderr: new Stderr(this),
    });
    this.keys = new Keys((action) => this.act(action));
    this.bar = el("header", { class: "bar" });
    this.notes = el("div", { class: "notes" });
    this.status = el("p", { class: "unseen", role: "status" });
    this.result = el("div", { class: "result" });
    this.hide = el("button", { class: "small", onclick: () => {
      this.dispatch({ type: "result", on: !this.state.result });
      remember("result", this.state.result ? "on" : "off");
    } });
    this.live = new Live();
    this.banner = el("section", { class: "banner", "aria-label": "Result" }, this.live.element, this.result, this.hide);
    this.about = el("dialog", { class: "dialog about", "aria-labelledby": "about-title" });
    this.playing = new Playing((steps) => this.dispatch({ type: "tick", steps }));
    this.onHash = () => this.match && this.dispatch({ type: "place", place: readPlace(location.hash) });
    addEventListener("hashchange", this.onHash);
    this.onSeen = () => {
      if (document.hidden) this.dispatch({ type: "skip" });
      if (document.hidden && this.#frame) this.#paint(); // browsers run no frames in hidden tabs
    };
    document.addEventListener("visibilitychange", this.onSeen);
    root.replaceChildren(el("p", { class: "wait", role: "status" }, "Reading the match ..."));
  }

  async open() {
    try {
      await this.source.open((event) => this.onEvent(event));
    } catch (error) {
      this.root.replaceChildren(el("p", { class: "problem wait", role: "alert" }, `The match cannot be shown: ${error.message}`));
    }
  }

  get match() {
    return this.state.match;
  }

  get step() {
    return this.state.at;
  }

  get eyes() {
    return this.state.eyes;
  }

  get tab() {
    return this.state.tab;
  }

  /** Change the state. The page is painted once in the next frame, even after several changes. */
  dispatch(action) {
    const before = this.state;
    this.state = reduce(before, action);
    if (this.state === before) return;
    this.playing.follow(this.state);
    if (this.#frame) return;
    if (document.hidden) this.#paint();
    else this.#frame = requestAnimationFrame(() => this.#paint());
  }

  onEvent(event) {
    if (event.type === "reset") this.reset(event);
    else if (event.type === "steps") {
      this.match.add(event);
      this.dispatch({ type: "add", match: this.match, lively: lively() });
    } else if (event.type === "end") {
      this.match.header = event.header;
      this.#tell();
      this.dispatch({ type: "over" });
    } else this.place?.onEvent(event);
  }

  reset(data) {
    const match = new Match(data);
    this.seat = seats(match.header, data.seat);
    this.first = !this.match;
    this.state = reduce(this.state, { type: "reset", match, own: data.seat, place: readPlace(location.hash) });
    document.title = this.title;
    this.table.reset();
    this.#mount();
    this.#tell();
    this.place?.remounted();
    this.#paint();
  }

  #mount() {
    const { header } = this.match;
    this.points = [];
    this.chips = header.seats.map((_, index) => {
      this.points.push(el("output", { class: "points" }));
      return el("li", { class: "chip", style: { "--seat": this.seat(index).colour } }, tag(this.seat(index)), this.points[index], el("span", { class: "gain" }), el("span", { class: "state" }));
    });
    this.when = el("p", { class: "when" });
    this.bar.replaceChildren(
      this.list ? el("a", { href: this.list, class: "button text", title: "All matches" }, "All") : "",
      el("h1", { class: "unseen" }, this.title),
      el("ul", { class: "chips", "aria-label": "Players" }, this.chips),
      this.when,
      el(
        "div",
        { class: "tools" },
        el("button", { class: "button", "aria-label": "About this match", title: "About this match", onclick: () => this.about.showModal() }, icon(ABOUT)),
        themeButton(),
        el("button", { class: "button", "aria-label": "Keys", title: "Keys (?)", onclick: () => this.keys.help() }, "?"),
      ),
    );
    if (this.place) this.table.element.prepend(this.place.element);
    if (this.place) this.table.place.after(this.place.after);
    this.root.className = "match";
    this.root.dataset.seats = header.seats.length;
    this.root.toggleAttribute("data-many", header.seats.length > 2);
    this.keys.explain(this.table.legend);
    this.root.replaceChildren(
      this.bar, this.banner, this.notes, this.about, this.table.element, this.player.element, this.tabs.element, this.tabs.aside, this.status, this.keys.dialog,
    );
    this.tabs.arrange();
  }

  // Show what the header of the match says: the result, the notes, and the dialog about the match.
  #tell() {
    const { header } = this.match;
    this.result.replaceChildren(...this.#outcome());
    this.notes.replaceChildren(header.problem ? el("p", { class: "problem" }, header.problem) : "");
    const pairs = (values) => Object.entries(values).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");
    const rows = [
      ["Game", header.game], ["Outcome", header.outcome && this.#outcome().map((part) => part.textContent).join(", ")], ["Bots", header.seats.map((seat) => seat.bot).filter(Boolean).join("\n")],
      ["Seed", header.seed], ["Date", header.date], ["Part of", header.tournaments.join("\n")], ["Options", pairs(header.options)], ["Limits", pairs(header.limits)],
      ["Command", header.command], ["File", header.source], ["Hidden", header.hidden && `This log does not show ${header.hidden}.`], ["Left out", header.omitted],
    ];
    this.about.replaceChildren(
      el("h2", { id: "about-title" }, "About this match"),
      el("dl", { class: "facts" }, rows.filter(([, text]) => text || text === 0).map(([name, text]) => el("div", null, el("dt", null, name), el("dd", null, text)))),
      el("form", { method: "dialog" }, el("button", { class: "button text" }, "Close")),
    );
  }

  // How the match ended: the winner, the points and the reason.
  #outcome() {
    const { outcome } = this.match.header;
    if (!outcome) return [];
    const [who, points] = resultOf(outcome, this.seat);
    return [el("h2", null, who), el("p", null, el("b", null, points), el("span", { class: "dim" }, points.length ? ", " : "", outcome.why))];
  }

  get title() {
    return this.match.header.seats.map((_, index) => this.seat(index).name).join(" vs ");
  }

  get turn() {
    return this.match.steps[this.step].turn;
  }

  /** Return the turn of a step, and the number of the step within that turn. */
  placeOf(at) {
    const { turn } = this.match.steps[at];
    return { turn, step: at - this.match.first.get(turn) + 1 };
  }

  /** Describe a step, or the end of a turn. (The step that ends a turn already belongs to the next one.) */
  nameOf(at, ends) {
    const { turn, step } = this.placeOf(at);
    return ends ? `end of turn ${ends}` : `turn ${turn}, step ${step}`;
  }

  addressOf(at) {
    const { header } = this.match;
    return writePlace({
      match: this.number,
      ...this.placeOf(at),
      eyes: this.eyes === header.viewers[0] ? "" : this.eyes,
      tab: this.tab,
    });
  }

  go(to) {
    this.dispatch({ type: "go", to });
  }

  goToTurn(text) {
    const turn = Number.parseInt(text, 10);
    if (turn >= 0) this.go(this.match.stepOf({ turn }));
    this.player.turn.value = this.turn;
  }

  nameOfSeat = (index) => this.seat(index).name;

  look(eyes) {
    this.dispatch({ type: "look", eyes });
  }

  show(tab) {
    this.dispatch({ type: "tab", tab });
  }

  /** Run the action of a key or button. */
  act(action) {
    if (!this.match) return false;
    const [word, what] = action.split(" ");
    const { match, step, player } = this;
    const faster = (by) => this.dispatch({ type: "speed", speed: SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.state.speed) + by, 0), SPEEDS.length - 1)] });
    const actions = {
      play: () => this.dispatch({ type: "play", on: !this.state.playing }),
      back: () => this.go(step - 1),
      on: () => this.go(step + 1),
      turnBack: () => this.go(match.turnFrom(step, -1)),
      turnOn: () => this.go(match.turnFrom(step, 1)),
      first: () => this.go(0),
      last: () => this.go(match.last),
      eventOn: () => this.go(match.eventFrom(step, 1)),
      eventBack: () => this.go(match.eventFrom(step, -1)),
      turnField: () => player.turn.focus(),
      faster: () => faster(1),
      slower: () => faster(-1),
      eyes: () => this.look(what),
      tab: () => {
        this.show(what);
        this.#paint();
        if (what === "turns" && this.tabs.wide) this.tabs.panels.turns.focus();
      },
      theme: () => toggleTheme(),
      help: () => this.keys.help(),
      close: () => this.dispatch({ type: "play", on: false }),
    };
    actions[word]();
    return true;
  }

  linesOf() {
    this.#lines ??= this.source.lines();
    return this.#lines;
  }

  say(text) {
    this.status.textContent = plain(text);
  }

  #paint() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { match, step, player, state } = this;
    if (!match) {
      this.place?.update();
      return;
    }
    if (this.#grew !== state.version) {
      this.#grew = state.version;
      this.player.reset();
      this.tabs.reset();
    }
    this.root.dataset.mode = state.mode;
    const { header } = match;
    const { outcome } = header;
    const now = match.steps[step];
    const atEnd = step === match.last && outcome;
    const points = match.pointsAt(step);
    const before = match.pointsAt(match.first.get(now.turn) - 1);
    const isTold = outcome && (state.result || atEnd);
    this.result.classList.toggle("untold", !isTold);
    this.result.hidden = !outcome;
    this.live.follow(match, state.mode, match.moversAt(match.last).map(this.seat));
    this.hide.hidden = !outcome || state.mode === "over";
    this.hide.textContent = state.result ? "Hide" : "Show";
    this.hide.setAttribute("aria-label", `${this.hide.textContent} result`);
    const movers = match.moversAt(step);
    this.chips.forEach((chip, index) => {
      const out = match.left.get(index) <= step;
      const asked = movers.includes(index);
      chip.classList.toggle("asked", asked);
      chip.classList.toggle("out", out);
      this.points[index].textContent = numeral(atEnd ? outcome.scores[index] : points?.[index]);
      const gain = points && before && !atEnd ? points[index] - before[index] : 0;
      chip.querySelector(".gain").textContent = gain ? (gain > 0 ? `+${gain}` : `−${-gain}`) : "";
      chip.querySelector(".state").textContent = (atEnd && endOf(outcome, index)) || (out ? "out" : asked ? "to move" : "");
    });
    const { turn } = now;
    this.when.hidden = step === match.last && Boolean(state.ask); // the question already names the turn
    this.when.replaceChildren(
      el("strong", null, turn ? `Turn ${turn}` : "Start"),
      el("span", { class: "dim" }, ` step ${step} of ${match.last}`),
      el("span", { class: "dim time" }, typeof now.time === "number" ? `, ${now.time.toFixed(2)} s` : ""),
    );
    player.update();
    if (step < match.last) this.place?.update(); // remove the question first, because the table shows an earlier state now
    this.table.update();
    this.place?.update();
    this.tabs.update();
    if (!state.playing) {
      if (!this.first) this.address.set(this.addressOf(step));
      const marks = (now.marks ?? []).filter(({ kind }) => kind !== "stderr").map(({ kind, code = "" }) => `${kind} ${code}`);
      this.say([this.nameOf(step), this.table.describe() || match.turns.get(turn)?.title, ...marks].filter(Boolean).join(". ").slice(0, 600));
    }
    this.first = false;
  }

  close() {
    this.dispatch({ type: "play", on: false });
    cancelAnimationFrame(this.#frame);
    this.#frame = -1; // do not paint any more
    document.removeEventListener("visibilitychange", this.onSeen);
    this.address.flush();
    removeEventListener("hashchange", this.onHash);
    this.keys.close();
    this.table.close();
    this.place?.close();
    this.live.close();
    this.tabs.close();
    this.source.close();
  }
}

/** Show one match. */
export function start(root, source, drawing, number) {
  dressed();
  const app = new App(root, source, drawing ?? null, number);
  app.open();
  return app;
}

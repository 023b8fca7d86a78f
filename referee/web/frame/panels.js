// The panels of text: turns, lines, stderr, faults.

import { el, numeral, plain, remember, remembered, reveal, sign, size, tag } from "./kit.js";
import { fill, keeper } from "./pieces.js";
import { seenTo } from "./store.js";
import { asYou, change, markdown, pretty, sentence, sentenceOf, shown } from "./text.js";

const LONG = 8000; // show this many characters of a line at first
const LONGEST = 50000; // and this many on request, because browsers take seconds to wrap more
const MANY = 200; // entries to show at first
const BLOCK = 50; // turns per list. A new turn only needs a layout of its own list

function followed(event) {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

const dim = (text) => el("p", { class: "dim" }, text);

// A link to a step that moves there without leaving the page.
function link(app, step, attributes, ...children) {
  const onclick = (event) => {
    if (!followed(event)) return;
    event.preventDefault();
    app.go(step);
  };
  return el("a", { href: app.addressOf(step), onclick, ...attributes }, ...children);
}

/** All turns, each a link. */
export class Turns {
  title = "Turns";
  key = "t";

  constructor(app) {
    this.app = app;
    this.list = el("div", { class: "turns" });
    this.details = el("input", { type: "checkbox", checked: remembered("details") === "on", onchange: () => this.#detail() });
    this.element = el("div", { class: "by-turn" }, el("label", { class: "switch" }, this.details, "all that happened"), this.list);
    this.items = new Map(); // turn -> {turn, item}
    this.marked = null;
  }

  reset() {
    const { app } = this;
    if (this.match !== app.match) {
      this.items.clear();
      this.list.replaceChildren();
      this.match = app.match;
    }
    for (const turn of app.match.turns.values()) {
      const known = this.items.get(turn.turn);
      if (known?.turn === turn) continue;
      const item = this.#item(turn);
      if (!known && this.items.size % BLOCK === 0) this.list.append(el("ol"));
      if (known) known.item.replaceWith(item);
      else this.list.lastChild.append(item);
      this.items.set(turn.turn, { turn, item });
    }
    this.#mark(null); // the current row may have been replaced
  }

  #item(turn) {
    const { app } = this;
    const mover = turn.seats.length === 1 ? app.seat(turn.seats[0]) : null;
    const glyphOf = (index) => sign(app.seat(index));
    return el(
      "li",
      { style: mover ? { "--seat": mover.colour } : {}, class: mover ? "of-seat" : null },
      link(
        app, app.match.first.get(turn.turn) ?? Math.min(turn.first, app.match.last), { class: "turn" },
        el("span", { class: "count" }, turn.turn),
        mover ? el("span", { class: "glyph", title: mover.name }, mover.glyph) : "",
        mover && el("span", { class: "unseen" }, mover.name),
        el("span", { class: "what" }, turn.line.length ? sentence(turn.line, mover ? app.nameOfSeat : glyphOf, mover ? app.state.own : -1, turn.seats[0]) : mover ? "" : turn.title),
        el("span", { class: "after" }, turn.scores?.map(numeral).join(" : ")),
      ),
      this.details.checked && shown(turn.show),
    );
  }

  #detail() {
    remember("details", this.details.checked ? "on" : "off");
    this.match = null; // create all rows again
    this.reset();
    this.update();
  }

  update() {
    const { state: { paced }, turn: now } = this.app;
    if (paced || this.waits) for (const [turn, { item }] of this.items) item.hidden = paced && turn >= now;
    this.waits = paced; // turns that the table has not shown yet
    const item = this.items.get(now)?.item ?? null;
    if (item === this.marked) return;
    this.#mark(item);
    if (item) reveal(this.element, item);
  }

  #mark(item) {
    this.marked?.removeAttribute("data-current");
    this.marked?.querySelector("a").removeAttribute("aria-current");
    this.marked = item;
    item?.setAttribute("data-current", "");
    item?.querySelector("a").setAttribute("aria-current", "step");
  }

  focus() {
    (this.marked ?? this.list).querySelector("a")?.focus({ preventScroll: true });
  }
}

/** The cards of all piles, including their order. */
export class Cards {
  title = "Cards";
  key = "o";

  constructor(app) {
    this.app = app;
    this.element = el("div", { class: "cards" });
  }

  reset() {}

  update() {
    this.app.table.cards(this.element);
  }
}

function copyButton(app, text) {
  const button = el("button", { class: "small", "aria-label": "Copy line" }, "copy");
  button.addEventListener("click", async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = false; // no clipboard: plain HTTP from another machine, or a frame
    }
    button.textContent = done ? "copied" : "no clipboard";
    app.say(done ? "Copied." : "It was not copied.");
  });
  return button;
}

function line(app, [kind, seat, text], columns) {
  const words = { all: "to all", sent: "to", received: "from", stderr: "stderr of", "left-out": "left out" };
  const body = el("pre", { tabindex: "0" });
  const fill = (shownText) => {
    body.textContent = plain(shownText);
  };
  const long = text.length > LONG;
  fill(long ? text.slice(0, LONG) + "…" : kind === "stderr" ? text : pretty(text, columns));
  const head = el(
    "div",
    { class: "head" },
    el("span", { class: "direction" }, words[kind] ?? kind),
    seat === null || seat === undefined ? null : tag(app.seat(seat)),
    long && el("span", { class: "dim" }, size(text.length)),
    kind !== "left-out" && copyButton(app, text),
  );
  const more = long && el("button", { class: "small", onclick: () => {
    fill(text.length > LONGEST ? text.slice(0, LONGEST) + "…" : pretty(text, columns));
    more.remove();
  } }, `show ${size(Math.min(text.length, LONGEST))}`);
  return el("article", { class: `line line-${kind}` }, head, kind === "left-out" ? dim(text) : body, more);
}

// The base of panels that load the lines once.
class OfLines {
  constructor(app) {
    this.app = app;
    this.element = el("div", { class: "lines" });
    this.drawn = "";
  }

  /** Name what is drawn now, so that it is only drawn again if it has changed. */
  place() {
    return "";
  }

  draw() {}

  reset() {
    this.drawn = "";
  }

  async update() {
    const { app } = this;
    const { match } = app;
    if (!match.lines) {
      this.element.replaceChildren(dim("Reading ..."));
      try {
        match.lines = await app.linesOf();
      } catch (error) {
        this.element.replaceChildren(el("p", { class: "problem" }, `The lines cannot be read: ${error.message}`));
        return;
      }
      if (match !== app.match) return;
    }
    const drawn = this.place();
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.draw();
  }

  /** True if the selected viewer may see a line. */
  sees([kind, seat]) {
    const { eyes } = this.app;
    return eyes === "all" || kind === "all" || kind === "left-out" || String(seat) === eyes;
  }

  between(step) {
    const [from, to] = this.app.match.steps[step].lines ?? [0, 0];
    return this.app.match.lines.slice(from, to);
  }
}

/** The lines that were sent and received on the way to the current step. */
export class Lines extends OfLines {
  title = "Lines";
  key = "l";

  reset() {
    super.reset();
    this.columns = Math.max(this.element.clientWidth / 8 - 8, 32);
  }

  place() {
    return `${this.app.step} ${this.app.eyes}`;
  }

  draw() {
    const { app } = this;
    const found = this.between(app.step).filter((entry) => this.sees(entry));
    const some = found.slice(0, MANY);
    this.element.replaceChildren(
      ...(app.match.header.omitted ? [dim(app.match.header.omitted)] : []),
      ...some.map((entry) => line(app, entry, this.columns)),
    );
    if (found.length > some.length) this.element.append(dim(`and ${found.length - some.length} more`));
    if (!found.length) this.element.append(dim("Nothing was said here."));
    reveal(this.element, null);
  }
}

/** Everything that the bots wrote to stderr, with the current step in the middle. */
export class Stderr extends OfLines {
  title = "Stderr";
  key = "s";

  place() {
    const { said } = this.app.match;
    const next = said.findIndex((at) => at >= this.app.step);
    return `${next < 0 ? said.length : next} ${said[next] === this.app.step} ${this.app.eyes} ${said.length}`;
  }

  draw() {
    const { app } = this;
    const { match } = app;
    const place = Number(this.place().split(" ")[0]);
    const from = Math.max(place - MANY / 2, 0);
    const some = match.said.slice(from, from + MANY);
    let current = null;
    const made = some.map((at) => {
      const entries = this.between(at).filter((entry) => entry[0] === "stderr" && this.sees(entry));
      const item = el(
        "section",
        { class: "said", "data-current": at === app.step },
        link(app, at, { class: "where", "aria-current": at === app.step ? "step" : null }, app.nameOf(at, match.steps[at].ends)),
        entries.map((entry) => line(app, entry)),
      );
      if (at <= app.step) current = item;
      return item;
    });
    this.element.replaceChildren(...made);
    if (some.length < match.said.length) this.element.append(dim(`${some.length} of ${match.said.length}; the others show when you go there.`));
    if (!made.length) this.element.append(dim("No stderr here; --record-stderr keeps it."));
    if (current) reveal(this.element, current);
  }
}

const WORDS = { lead: "takes the lead", think: "longest think", decided: "decides the match" };

/** Faults with their rules, the end of the match, and its turning points. */
export class Moments {
  title = "How it turned";
  key = "m";

  constructor(app) {
    this.app = app;
    this.list = el("ol", { class: "marks" });
    this.note = dim("");
    this.element = el("div", { class: "moments" }, this.list, this.note);
    this.once = keeper(); // a live match may add a few to a long list
    this.from = -1;
  }

  reset() {
    this.from = -1;
  }

  update() {
    const { step, state } = this.app;
    const seen = seenTo(state);
    const moments = this.app.match.moments.filter(({ at }) => at <= seen);
    const before = moments.filter(({ at }) => at <= step).length;
    const from = moments.length <= MANY ? 0 : Math.max(before - MANY / 2, 0);
    if (from !== this.from || !this.items || moments.length !== this.count) this.#draw(from, moments);
    let current = null;
    for (const [at, item] of this.items) {
      item.toggleAttribute("data-current", at === step);
      if (at === step) item.querySelector("a").setAttribute("aria-current", "step");
      else item.querySelector("a").removeAttribute("aria-current");
      if (at === step) current ??= item;
    }
    if (current) reveal(this.element, current);
  }

  #draw(from, moments) {
    this.from = from;
    this.count = moments.length;
    const { turns, header } = this.app.match;
    this.items = moments.slice(from, from + MANY).map((moment, place) => {
      const { line, scores } = turns.get(moment.turn) ?? {};
      const key = [moment, line, scores, header.rules[moment.code], header.outcome];
      return [moment.at, this.once(from + place, key, () => this.#item(moment))];
    });
    fill(this.list, this.items.map(([, item]) => item));
    this.note.textContent = moments.length > MANY ? `${MANY} of ${moments.length}; the others show when you go there.` : moments.length ? "" : "Nothing so far.";
  }

  #item({ at, ends, kind, seat, code, section, detail = "", turn, before, seconds }) {
    const { app } = this;
    const of = app.match.turns.get(turn);
    const { own } = app.state;
    const told = seconds !== undefined ? `${seconds.toFixed(2)} s` : before && [of ? sentenceOf(of, app.nameOfSeat, own) : "", change(before, of?.scores)];
    const words = WORDS[kind] ?? kind;
    const rule = app.match.header.rules[code];
    const where = section || rule?.section;
    const details = rule?.text && el(
      "details",
      { ontoggle: () => details.childElementCount === 1 && details.append(...markdown(rule.text)) },
      el("summary", null, where ? `${where} ${rule.title ?? ""}` : rule.title),
    );
    return el(
      "li",
      { class: `item item-${kind}` },
      el(
        "div",
        { class: "head" },
        link(app, at, { class: "where", title: app.nameOf(at, ends) }, turn ?? ends ?? app.placeOf(at).turn ?? "start"),
        seat === null || seat === undefined ? null : tag(app.seat(seat)),
        el("strong", { class: `mark mark-${kind}` }, seat === own ? asYou(words) : words),
      ),
      code && el("p", null, (kind === "end" && app.match.header.outcome?.why) || el("code", null, code)),
      told && el("p", { class: "detail" }, told),
      detail && el("p", { class: "detail" }, detail.length > LONG ? detail.slice(0, LONG) + "…" : detail),
      details,
    );
  }
}

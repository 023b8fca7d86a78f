// The data of a match, and the sources that it comes from.
//
// A source has
//   open(onChange)   starts reading, and calls onChange with events. Returns a promise that fails if there is no data.
//     {type: "reset", header, turns, steps, lines, turned}  the whole match. Without lines if `lines()` returns them
//     {type: "steps", steps, lines, turns, turned, rules}  new parts. A turn or rule replaces an older one
//     {type: "end", header}                  the match is over
//     {type: "question", request, question}  the open question of this seat, or null when it is closed
//     {type: "told", lines}                  sentences for the person at this seat
//     {type: "again"}                        everything will be sent again
//     {type: "offline", problem}, {type: "online"}  the server cannot be reached, or can be reached again
//     {type: "moved", problem}               another tab has taken the seat
//     {type: "gone", problem}                the match cannot continue
//   lines()          returns a promise of all lines, if they are not in "reset"
//   answer(request, picks)  answers a question. Returns a promise; if it fails, its message is for the person
//   kind             "file", "server" or "seat"
//   place(app)       creates the panel of a seat, where the person answers. Only a seat has this
//   close()          stops reading

// To save space, a step has data for several viewers only once: "public 0" means both of them.
/** @param {Page.Step} step */
function spread({ set, now, moves }) {
  for (const known of [set, now, moves]) {
    for (const key of Object.keys(known ?? {})) for (const viewer of key.split(" ")) known[viewer] = known[key];
  }
}

/** What we know about a match: its header, its steps, and what we derive from them. */
export class Match {
  /** @param {{header: Page.Header, turns: Page.TurnText[], steps: Page.Step[], lines?: Page.Line[], turned?: Page.Moment[]}} data */
  constructor({ header, turns, steps, lines, turned }) {
    this.header = header;
    this.heard = header.heard; // when the last public message was written, in seconds since 1970
    this.asked = header.asked; // the seats whose reply the match waits for, or null if nobody knows
    /** @type {Map<number, Page.TurnText>} */
    this.turns = new Map(); // by number, in order of play
    this.lines = lines ?? null; // null: read them from the source
    /** @type {Page.Step[]} */
    this.steps = [];
    this.order = []; // the turns that have steps, in order
    this.first = new Map(); // turn -> its first step
    /** @type {Page.Moment[]} */
    this.turned = []; // turning points of the match, as in the data
    this.moments = []; // these and the marks of steps
    this.marked = []; // marks of steps: faults, disqualifications and the end
    this.events = []; // steps with moments
    this.said = []; // steps with stderr
    this.left = new Map(); // seat that was disqualified -> the step
    this.values = []; // step -> {series: one number per seat}
    this.known = new Map(); // kind (set or now) and viewer -> what is known at each step. It grows on demand
    this.add({ turns, steps, turned });
  }

  /** @param {{steps?: Page.Step[], lines?: Page.Line[], turns?: Page.TurnText[], rules?: Record<string, Page.Rule>, turned?: Page.Moment[], heard?: number, asked?: number[]}} news */
  add({ steps = [], lines = [], turns = [], rules = {}, turned, heard, asked }) {
    this.heard = heard ?? this.heard;
    this.asked = asked ?? this.asked;
    for (const step of steps) {
      spread(step);
      const at = this.steps.push(step) - 1;
      if (!this.first.has(step.turn)) {
        this.first.set(step.turn, at);
        this.order.push(step.turn);
      }
      for (const mark of step.marks ?? []) {
        const { kind, seat } = mark;
        if (kind !== "stderr") this.marked.push({ at, ends: step.ends, ...mark });
        if (kind === "stderr" && this.said.at(-1) !== at) this.said.push(at);
        if (kind === "disqualified" && !this.left.has(seat)) this.left.set(seat, at);
      }
      const before = this.values[at - 1] ?? {};
      this.values.push(step.values ? { ...before, ...step.values } : before);
    }
    this.lines?.push(...lines);
    for (const turn of turns) this.turns.set(turn.turn, turn);
    this.header.rules = { ...this.header.rules, ...rules };
    if (turned) this.turned = turned;
    this.moments = [...this.marked, ...this.turned].sort((one, other) => one.at - other.at);
    this.events = [...new Set(this.moments.map(({ at }) => at))];
  }

  get last() {
    return this.steps.length - 1;
  }

  /** The view of a viewer at a step. null if nothing is known yet. */
  view(viewer, step) {
    return this.#folded("set", viewer, step);
  }

  /** What is going on at a step, as far as a viewer knows it: {seat, counters, did, played, got}. */
  now(viewer, step) {
    return this.#folded("now", viewer, step);
  }

  #folded(part, viewer, step) {
    if (step < 0) return null;
    const key = `${part} ${viewer}`;
    if (!this.known.has(key)) this.known.set(key, []);
    const known = this.known.get(key);
    for (let at = known.length; at <= step; at++) {
      const changed = this.steps[at][part]?.[viewer];
      const before = known[at - 1] ?? {};
      known.push(!changed ? before : part === "now" ? changed : { ...before, ...changed });
    }
    return known[step];
  }

  /** The turn before the one of a step. undefined if there is none. */
  turnBefore(step) {
    return this.turns.get(this.order[this.order.indexOf(this.steps[step].turn) - 1]);
  }

  /** The seats that a step waits for. At the end of a match in progress, the server knows whose reply is missing.
   *  Otherwise, these are the seats whose turn it is. */
  moversAt(step) {
    const { kind, outcome } = this.header;
    if (kind === "live" && step === this.last && this.asked) return this.asked;
    const { turn, seats } = this.steps[step];
    const isOver = kind === "record" || (step === this.last && (outcome || this.closes(step)));
    return seats ?? (isOver ? [] : this.turns.get(turn)?.seats ?? []);
  }

  /** True if a turn is over, and this is its last step. */
  closes(step) {
    const { turn } = this.steps[step];
    return Boolean(this.turns.get(turn)?.title) && this.steps[step + 1]?.turn !== turn;
  }

  /** The series of the scores: the points, or the first one. */
  get curve() {
    const { series } = this.header;
    return (series.find(({ name }) => name === "points") ?? series[0])?.name ?? "";
  }

  /** The points of each seat at a step. undefined if they are not known. */
  pointsAt(step) {
    return this.values[step]?.[this.curve];
  }

  /** Find the step for a place, which has a turn (and a step within it), or just a step. An unknown turn counts as the
   *  one before it. undefined if the place has neither. */
  stepOf({ turn, step }) {
    if (turn === undefined) return step === undefined ? undefined : Math.min(Math.max(step - 1, 0), this.last);
    const known = this.order.findLast((other) => other <= turn) ?? this.order[0];
    const next = this.order[this.order.indexOf(known) + 1];
    const to = next === undefined ? this.last : this.first.get(next) - 1;
    return Math.min(this.first.get(known) + Math.max((step ?? 1) - 1, 0), to);
  }

  /** The first step of the turn that is `by` turns away. From the middle of a turn, -1 goes to its start. */
  turnFrom(step, by) {
    const turn = this.steps[step].turn;
    if (by < 0 && step > this.first.get(turn)) return this.first.get(turn);
    const to = this.order[this.order.indexOf(turn) + by];
    return to === undefined ? (by < 0 ? 0 : this.last) : this.first.get(to);
  }

  /** The next step with an event, or the previous one if `by` is negative. The same step if there is none. */
  eventFrom(step, by) {
    const found = by > 0 ? this.events.find((at) => at > step) : this.events.findLast((at) => at < step);
    return found ?? step;
  }
}

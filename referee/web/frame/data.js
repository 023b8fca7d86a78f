// A match as data, and where it comes from.
//
// A source has
//   open(onChange)   begins; onChange is given events, and the promise fails if nothing can be had:
//     {type: "reset", header, turns, steps, lines, turned}  the whole match, now; no lines if `lines()` has them
//     {type: "steps", steps, lines, turns, turned, rules}  what came since. A turn or rule known replaces the older.
//     {type: "end", header}                  nothing more will come
//     {type: "question", request, question}  this seat is asked; question null: no longer
//     {type: "told", lines}                  sentences for the person at this seat
//     {type: "again"}                        all comes anew
//     {type: "offline", problem}, {type: "online"}  the server is not reached, and is again
//     {type: "moved", problem}, {type: "gone", problem}  another tab has the seat; the match does not go on
//   lines()          a promise of all lines, for a source that does not give them with "reset"
//   answer(request, picks)  answers a question; a promise, which fails with a sentence
//   kind             "file", "server" or "seat"
//   place(app)       of a seat alone: what asks the person who sits there
//   close()          ends

// What several viewers know stands in a step once: "public 0" is for each of them.
function spread({ set, now, moves }) {
  for (const known of [set, now, moves]) {
    for (const key of Object.keys(known ?? {})) for (const viewer of key.split(" ")) known[viewer] = known[key];
  }
}

/** What is known of a match: its header, its steps, and what follows from them. */
export class Match {
  constructor({ header, turns, steps, lines, turned }) {
    this.header = header;
    this.heard = header.heard; // when the last public message was written, in seconds since 1970
    this.turns = new Map(); // by number, in order
    this.lines = lines ?? null; // null: to be had from the source
    this.steps = [];
    this.order = []; // the turns that have steps, in order
    this.first = new Map(); // turn -> its first step
    this.turned = []; // how the match turned, as the data say it
    this.moments = []; // that and the marks of steps
    this.marked = []; // marks of steps: faults, disqualifications and the end
    this.events = []; // steps with moments
    this.said = []; // steps with stderr
    this.left = new Map(); // seat that was disqualified -> the step
    this.values = []; // step -> {series: one number a seat}
    this.known = new Map(); // "set" or "now" and a viewer -> what is known at each step, as far as it was asked for
    this.add({ turns, steps, turned });
  }

  add({ steps = [], lines = [], turns = [], rules = {}, turned, heard }) {
    this.heard = heard ?? this.heard;
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

  /** What a viewer sees at a step; null before the first. */
  view(viewer, step) {
    return this.#folded("set", viewer, step);
  }

  /** What happens now at a step, as far as a viewer knows it: {seat, counters, did, played, got}. */
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

  /** The last turn that was over before a step; undefined: none. */
  turnBefore(step) {
    return this.turns.get(this.order[this.order.indexOf(this.steps[step].turn) - 1]);
  }

  /** Whether a step is the last one of its turn, and the turn is over. */
  closes(step) {
    const { turn } = this.steps[step];
    return Boolean(this.turns.get(turn)?.title) && this.steps[step + 1]?.turn !== turn;
  }

  /** The points at a step, else what the first curve has, one number per seat; undefined if they are not known. */
  pointsAt(step) {
    const { series } = this.header;
    return this.values[step]?.[(series.find(({ name }) => name === "points") ?? series[0])?.name];
  }

  /** The step of a place: of a turn (or the last one before it) and its step, or of a step; undefined: none. */
  stepOf({ turn, step }) {
    if (turn === undefined) return step === undefined ? undefined : Math.min(Math.max(step - 1, 0), this.last);
    const known = this.order.findLast((other) => other <= turn) ?? this.order[0];
    const next = this.order[this.order.indexOf(known) + 1];
    const to = next === undefined ? this.last : this.first.get(next) - 1;
    return Math.min(this.first.get(known) + Math.max((step ?? 1) - 1, 0), to);
  }

  /** The first step of the turn that is so many turns away; from within a turn, -1 is its begin. */
  turnFrom(step, by) {
    const turn = this.steps[step].turn;
    if (by < 0 && step > this.first.get(turn)) return this.first.get(turn);
    const to = this.order[this.order.indexOf(turn) + by];
    return to === undefined ? (by < 0 ? 0 : this.last) : this.first.get(to);
  }

  /** The step of the next event, or of the last one before; the same step if there is none. */
  eventFrom(step, by) {
    const found = by > 0 ? this.events.find((at) => at > step) : this.events.findLast((at) => at < step);
    return found ?? step;
  }
}

// A match as data, and where it comes from.
//
// A source has
//   open(onChange)   begins; onChange is given events, and the promise fails if nothing can be had:
//     {type: "reset", header, turns, steps, lines}  the whole match, now; no lines if `lines()` has them
//     {type: "steps", steps, lines, turns, rules}  what came since. A turn or rule known replaces the older.
//     {type: "end", header}                  nothing more will come
//     {type: "question", request, question}  this seat is asked; question null: no longer
//     {type: "told", lines}                  sentences for the person at this seat
//     {type: "again"}                        all comes anew
//     {type: "offline", problem}, {type: "online"}  the server is not reached, and is again
//     {type: "moved", problem}, {type: "gone", problem}  another tab has the seat; the match does not go on
//   lines()          a promise of all lines, for a source that does not give them with "reset"
//   answer(request, picks)  answers a question; a promise, which fails with a sentence
//   close()          ends

/** The JSON in base64 of deflate-raw. */
export async function unpack(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

/** The headers of all matches in this file. */
export function inlineHeaders() {
  const found = [];
  for (let node; (node = document.getElementById(`header-${found.length}`)); ) found.push(JSON.parse(node.textContent));
  return found;
}

/** A match that is in this file. */
export function inlineSource(index) {
  const read = (part) => document.getElementById(`${part}-${index}`).textContent;
  return {
    async open(onChange) {
      const header = JSON.parse(read("header"));
      onChange({ type: "reset", header, ...(await unpack(read("steps"))) });
    },
    lines: () => unpack(read("lines")),
    close() {},
  };
}

/** A match that a server has: below an address `header`, `steps` (and turns) and `lines`, as JSON; while it is
 *  played `events`, which are closed while nobody looks. */
export function servedSource(address) {
  const read = async (part) => {
    const response = await fetch(`${address}/${part}`);
    if (!response.ok) throw new Error(`${address}/${part}: ${response.status} ${response.statusText}`);
    return response.json();
  };
  let change = null;
  let live = false;
  let after = ""; // the id of the last event
  let stream = null;
  let timer = 0;
  const stop = () => {
    clearTimeout(timer);
    stream?.close();
    stream = null;
  };
  async function load() {
    const header = await read("header");
    live = header.kind === "live";
    if (live) listen();
    else change({ type: "reset", header, ...(await read("steps")) });
  }
  function take(type, data, id) {
    after = id;
    if (type === "end") again();
    else change({ type, ...data });
  }
  // It is over, and all of it can be seen.
  function again() {
    stop();
    load().catch(() => (timer = setTimeout(again, 2000)));
  }
  function listen() {
    stop();
    if (!live || document.hidden) return;
    stream = new EventSource(`${address}/events?after=${after}`);
    for (const type of ["reset", "steps", "end"]) {
      stream.addEventListener(type, (event) => take(type, JSON.parse(event.data), event.lastEventId));
    }
    stream.onerror = () => stream?.readyState === EventSource.CLOSED && poll();
  }
  // The server has no more streams, or is away.
  async function poll() {
    stop();
    timer = setTimeout(poll, 2000);
    const response = await fetch(`${address}/events?format=json&after=${after}`).catch(() => null);
    for (const { event, id, data } of response?.ok ? await response.json() : []) take(event, data, id);
  }
  document.addEventListener("visibilitychange", listen);
  return {
    open(onChange) {
      change = onChange;
      return load();
    },
    lines: () => read("lines"),
    close() {
      live = false;
      stop();
      document.removeEventListener("visibilitychange", listen);
    },
  };
}

const RETRY = [1000, 2000, 4000, 8000]; // ms
const HIDDEN = 4000; // ms; a tab that nobody sees asks now and then, and keeps no connection

/** A seat of a person at a server: see referee/web/server/seat.py. */
export function seatSource(address) {
  const tab = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const quit = new AbortController();
  const json = { "Content-Type": "application/json" };
  let [run, after, follows, tell, wake] = ["", 0, false, null, () => {}];
  const onSeen = () => wake();
  document.addEventListener("visibilitychange", onSeen);

  const pause = (ms) => new Promise((done) => {
    const timer = setTimeout(done, ms);
    wake = () => (clearTimeout(timer), done());
  });

  async function ask(path, options) {
    const response = await fetch(`${address}/${path}`, { signal: quit.signal, ...options });
    if (response.ok) return response.json();
    const { problem } = await response.json().catch(() => ({}));
    throw Object.assign(new Error(problem ?? `${response.status} ${response.statusText}`), { status: response.status });
  }

  const post = (path, body) => ask(path, { method: "POST", headers: json, body: JSON.stringify({ tab, ...body }) });

  async function enter() {
    const token = /^#([\w-]{22})$/.exec(location.hash)?.[1] ?? "";
    await post("enter", { token });
    if (token) history.replaceState(null, "", location.pathname);
  }

  async function follow() {
    if (follows) return;
    follows = true;
    for (let failed = 0; follows; ) {
      const seen = !document.hidden;
      let news = null;
      try {
        news = await ask(`events?run=${run}&after=${after}&tab=${tab}&wait=${Number(seen)}`);
      } catch (error) {
        if (quit.signal.aborted) return;
        if (error.status === 403 || error.status === 404) {
          tell({ type: "gone", problem: error.message });
          follows = false;
        } else {
          tell({ type: "offline", problem: "The server is not reached; trying again." });
          await pause(RETRY[Math.min(failed++, RETRY.length - 1)]);
        }
        continue;
      }
      if (failed) tell({ type: "online" });
      failed = 0;
      if (news.run && news.run !== run) tell({ type: "again" });
      [run, after] = [news.run, news.next];
      news.events.forEach(tell);
      const has = (...kinds) => news.events.some(({ type }) => kinds.includes(type));
      if (has("moved", "end", "gone")) follows = false;
      else if (!seen) await pause(HIDDEN);
      if (has("end")) ask(`events?run=${run}&after=${after}&tab=${tab}`).catch(() => null); // it is had
    }
  }

  return {
    async open(onChange) {
      tell = onChange;
      await enter();
      follow();
    },
    async take() {
      await enter();
      tell({ type: "again" });
      [run, after] = ["", 0];
      follow();
    },
    async answer(request, picks) {
      for (let failed = 0; ; failed++) {
        try {
          return await post("answer", { run, request, picks });
        } catch (error) {
          if (error.status || failed === RETRY.length || quit.signal.aborted) throw error;
          await pause(RETRY[failed]);
        }
      }
    },
    close() {
      follows = false;
      document.removeEventListener("visibilitychange", onSeen);
      quit.abort();
    },
  };
}

/** What is known of a match: its header, its steps, and what follows from them. */
export class Match {
  constructor({ header, turns, steps, lines }) {
    this.header = header;
    this.turns = new Map(); // by number, in order
    this.lines = lines ?? null; // null: to be had from the source
    this.steps = [];
    this.order = []; // the turns that have steps, in order
    this.first = new Map(); // turn -> its first step
    this.events = []; // steps with a fault, a disqualification or the end
    this.said = []; // steps with stderr
    this.left = new Map(); // seat that was disqualified -> the step
    this.values = []; // step -> {series: one number a seat}
    this.views = new Map(); // viewer -> its views, as far as they were asked for
    this.add({ turns, steps });
  }

  add({ steps = [], lines = [], turns = [], rules = {} }) {
    for (const step of steps) {
      const at = this.steps.push(step) - 1;
      if (!this.first.has(step.turn)) {
        this.first.set(step.turn, at);
        this.order.push(step.turn);
      }
      for (const { kind, seat } of step.marks ?? []) {
        const found = kind === "stderr" ? this.said : this.events;
        if (found.at(-1) !== at) found.push(at);
        if (kind === "disqualified" && !this.left.has(seat)) this.left.set(seat, at);
      }
      const before = this.values[at - 1] ?? {};
      this.values.push(step.values ? { ...before, ...step.values } : before);
    }
    if (this.lines) for (const line of lines) this.lines.push(line);
    for (const turn of turns) this.turns.set(turn.turn, turn);
    this.header.rules = { ...this.header.rules, ...rules };
  }

  get last() {
    return this.steps.length - 1;
  }

  /** What a viewer sees at a step; null before the first. */
  view(viewer, step) {
    if (step < 0) return null;
    if (!this.views.has(viewer)) this.views.set(viewer, []);
    const known = this.views.get(viewer);
    for (let at = known.length; at <= step; at++) {
      const changed = this.steps[at].set?.[viewer];
      const before = known[at - 1] ?? {};
      known.push(changed ? { ...before, ...changed } : before);
    }
    return known[step];
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

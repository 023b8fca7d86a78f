// The match page of a server: where its data comes from. A page in a file has none of this.
//
//   serve(drawing)   shows the match, or the seat, whose address the page has

import { start } from "./main.js";
import { Seat } from "./seat.js";
import { place } from "./streams.js";

/** Show what the page is of; `drawing` is the game's module, or null. */
export function serve(drawing) {
  const root = document.getElementById("page");
  const { source } = root.dataset;
  start(root, source.startsWith("/seat/") ? seatSource(source) : matchSource(source), drawing);
}

/** A match that a server has: below an address `header`, `steps` (and turns) and `lines`, as JSON; while it is
 *  played `events`, which are closed while nobody looks. */
function matchSource(address) {
  const read = async (part) => {
    const response = await fetch(`${address}/${part}`);
    if (!response.ok) throw new Error(`${address}/${part}: ${response.status} ${response.statusText}`);
    return response.json();
  };
  let change = null;
  let live = false;
  let after = ""; // the id of the last event
  let stream = null;
  let leave = null; // gives the place of the stream back
  let turn = 0; // of what is begun: what was begun before must not go on
  let timer = 0;
  const stop = () => {
    turn++;
    clearTimeout(timer);
    stream?.close();
    leave?.();
    stream = leave = null;
  };
  async function load() {
    const header = await read("header");
    const steps = header.kind === "live" ? null : await read("steps");
    live = !steps;
    return steps ? () => change({ type: "reset", header, ...steps }) : listen;
  }
  function take(type, data, id) {
    after = id;
    if (type === "end") again();
    else change({ type, ...data });
  }
  // It is over, and all of it can be seen.
  function again() {
    stop();
    load().then((show) => show(), () => (timer = setTimeout(again, 2000)));
  }
  async function listen() {
    stop();
    if (!live || document.hidden) return;
    const own = turn;
    const free = await place();
    if (own !== turn) {
      free?.();
      return;
    }
    if (!free) {
      poll(listen);
      return;
    }
    leave = free;
    stream = new EventSource(`${address}/events?after=${after}`);
    for (const type of ["reset", "steps", "end"]) {
      stream.addEventListener(type, (event) => take(type, JSON.parse(event.data), event.lastEventId));
    }
    stream.onerror = () => stream?.readyState === EventSource.CLOSED && poll();
  }
  // There are no more streams, or the server is away.
  async function poll(then = poll) {
    stop();
    timer = setTimeout(then, 2000);
    const response = await fetch(`${address}/events?format=json&after=${after}`).catch(() => null);
    for (const { event, id, data } of response?.ok ? await response.json() : []) take(event, data, id);
  }
  document.addEventListener("visibilitychange", listen);
  return {
    kind: "server",
    async open(onChange) {
      change = onChange;
      (await load())();
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
function seatSource(address) {
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
    kind: "seat",
    place: (app) => new Seat(app),
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

// The page of a person's seat. The server sends it questions, and it sends back answers.
//
//   serve(drawing)   shows the seat of the page's address

import { start } from "./main.js";
import { Seat } from "./seat.js";

/** Show the seat. `drawing` is the game's module, or null. */
export function serve(drawing) {
  const root = document.getElementById("page");
  start(root, seatSource(root.dataset.source), drawing);
}

const RETRY = [1000, 2000, 4000, 8000]; // ms
const HIDDEN = 4000; // ms. Hidden tabs poll, so that they do not hold a connection

/** A source for a seat on a server. See referee/web/server/seat.py for the protocol. */
function seatSource(address) {
  const tab = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const quit = new AbortController();
  const json = { "Content-Type": "application/json" };
  let [run, after, follows, tell, wake] = ["", 0, false, null, () => {}];
  const onSeen = () => wake();
  document.addEventListener("visibilitychange", onSeen);

  /** @returns {Promise<void>} */
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
      tell({ type: "time", seconds: news.seconds ?? null });
      const has = (...kinds) => news.events.some(({ type }) => kinds.includes(type));
      if (has("moved", "end", "gone")) follows = false;
      else if (!seen) await pause(HIDDEN);
      if (has("end")) ask(`events?run=${run}&after=${after}&tab=${tab}`).catch(() => null); // confirm that we have the end
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

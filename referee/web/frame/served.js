// The page of a match on a server. Reads its data from there. Not used by pages in files.
//
//   serve(drawing)   shows the match of the page's address

import { start } from "./main.js";
import { place } from "./streams.js";

/** Show the match. `drawing` is the game's module, or null. */
export function serve(drawing) {
  const root = document.getElementById("page");
  const { source } = root.dataset;
  start(root, matchSource(source), drawing);
}

/** A source for a match on a server. The addresses below it return JSON: `header`, `steps` (with turns) and `lines`. While
 *  the match is played there is also `events`. The connection is closed while the page is hidden. */
function matchSource(address) {
  const read = async (part) => {
    const response = await fetch(`${address}/${part}`);
    if (!response.ok) throw new Error(`${address}/${part}: ${response.status} ${response.statusText}`);
    return response.json();
  };
  let change = null;
  let live = false;
  let after = ""; // id of the last event
  let stream = null;
  let leave = null; // releases the stream
  let turn = 0; // increases when we stop, so that older responses are ignored
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
  // The match is over, and its whole data is available.
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
  // No stream is available, or the server is unreachable.
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

// Pages that move: what changes is replaced in place, while somebody looks.
//
// What is in an element with `data-moves` is replaced by that of a newly loaded page: with
// `data-moves="ADDRESS"` when the events there say so, with `data-moves=""` every few seconds. The
// row under the pointer stays there; so do the focus, and a form with what was typed.

import { place } from "./streams.js";

const PERIOD = 3000; // ms
const moving = document.querySelector("[data-moves]");
let stream = null;
let leave = null; // gives the place of the stream back
let turn = 0;
let timer = 0;

const PLACES = "section, table, summary, .wide";

/** What an element can be found by on the newer page: its link, or its place. */
function nameOf(element) {
  const link = element.closest("a[href]") ?? element.closest("tr")?.querySelector("a[href]");
  return link?.getAttribute("href") ?? [...moving.querySelectorAll(PLACES)].indexOf(element.closest(PLACES));
}

function find(name) {
  if (typeof name === "string") return moving.querySelector(`a[href="${CSS.escape(name)}"]`);
  return moving.querySelectorAll(PLACES)[name];
}

/** Whether there may be more. */
async function refresh() {
  const form = moving.querySelector("form");
  if (form?.contains(document.activeElement)) return true;
  const response = await fetch(location.href).catch(() => null);
  if (!response?.ok) return true;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const newer = page.getElementById(moving.id);
  if (!newer) return false;
  const under = [...moving.querySelectorAll(":hover")].at(-1) ?? moving.querySelector(":focus");
  const held = under && { name: nameOf(under) };
  if (held) held.top = find(held.name)?.getBoundingClientRect().top;
  const focus = moving.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  const open = [...moving.querySelectorAll("details")].map((details) => details.open);
  const scrolled = [...moving.querySelectorAll(".wide")].map((wide) => wide.scrollLeft);
  if (form) newer.querySelector("form")?.replaceWith(form);
  moving.replaceChildren(...newer.childNodes);
  moving.querySelectorAll("details").forEach((details, index) => (details.open = open[index] ?? details.open));
  moving.querySelectorAll(".wide").forEach((wide, index) => (wide.scrollLeft = scrolled[index] ?? 0));
  if (focus !== null) find(focus)?.focus({ preventScroll: true });
  const there = held && find(held.name);
  if (there) scrollBy(0, there.getBoundingClientRect().top - held.top);
  return newer.hasAttribute("data-moves");
}

async function poll() {
  if ((await refresh()) && !document.hidden) timer = setTimeout(poll, PERIOD);
}

async function look() {
  const own = ++turn;
  clearTimeout(timer);
  stream?.close();
  leave?.();
  stream = leave = null;
  if (document.hidden) return;
  const address = moving.dataset.moves;
  const free = address && (await place());
  if (own !== turn) {
    free?.();
    return;
  }
  if (!free) {
    timer = setTimeout(poll, PERIOD);
    return;
  }
  leave = free;
  stream = new EventSource(address);
  stream.addEventListener("standings", refresh);
  stream.onerror = () => {
    if (stream?.readyState !== EventSource.CLOSED) return;
    leave();
    clearTimeout(timer);
    timer = setTimeout(poll, PERIOD); // there are too many streams
  };
}

if (moving) {
  document.addEventListener("visibilitychange", look);
  look();
}

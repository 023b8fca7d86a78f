// Live pages: changed parts are replaced in place while the page is visible.
//
// An element with `data-moves` is made like that of a newly loaded page: with `data-moves="ADDRESS"`
// when the events there say so, with `data-moves=""` every few seconds. What is equal stays the same
// element, so open folds, scroll places, the focus and typed text stay. Children with a `data-key`
// are found by it, others by their place. The element under the pointer stays there.

import { place } from "./streams.js";

const PERIOD = 3000; // ms
const moving = document.querySelector("[data-moves]");
let stream = null;
let leave = null; // gives the place of the stream back
let turn = 0;
let timer = 0;

/** Attributes that the reader may have changed. They are kept. */
const OWN = new Set(["open", "value", "checked", "selected"]);

function keyOf(node) {
  return node.dataset?.key;
}

/** Update a node to a newer node with the same name. */
function update(node, newer) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== newer.data) node.data = newer.data;
    return;
  }
  for (const { name } of [...node.attributes]) {
    if (!OWN.has(name) && !newer.hasAttribute(name)) node.removeAttribute(name);
  }
  for (const { name, value } of newer.attributes) {
    if (!OWN.has(name) && node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  updateChildren(node, newer);
}

/** Update the children of an element to those of a newer element. */
function updateChildren(parent, newer) {
  const keyed = new Map([...parent.children].map((child) => [keyOf(child), child]));
  let at = parent.firstChild; // what comes before it is done
  for (const child of [...newer.childNodes]) {
    const key = keyOf(child);
    const same = key === undefined ? at && keyOf(at) === undefined && at : keyed.get(key);
    keyed.delete(key);
    if (same?.nodeName !== child.nodeName) {
      parent.insertBefore(child, at);
      continue;
    }
    if (same === at) at = at.nextSibling;
    else parent.insertBefore(same, at);
    update(same, child);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Update the page. Returns true if more changes may follow. */
async function refresh() {
  const response = await fetch(location.href).catch(() => null);
  if (!response?.ok) return true;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const newer = page.getElementById(moving.id);
  if (!newer) return false;
  const focused = moving.contains(document.activeElement) ? document.activeElement : null;
  const held = [...moving.querySelectorAll(":hover")].at(-1) ?? focused;
  const top = held?.getBoundingClientRect().top;
  updateChildren(moving, newer);
  if (focused?.isConnected) focused.focus({ preventScroll: true });
  if (held?.isConnected) scrollBy(0, held.getBoundingClientRect().top - top);
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

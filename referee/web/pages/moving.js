// Live pages: changed parts are replaced in place while the page is visible.
//
// An element with `data-moves="ADDRESS"` is updated when events from that address say so, and one with
// `data-moves=""` every few seconds. Its new content comes from a freshly loaded page. Elements that are equal stay
// in the document, so open folds, scroll positions, the focus and typed text survive. Children are matched by
// `data-key`, or else by position. The page scrolls so that the element under the pointer stays where it is.

import { place } from "./streams.js";

const PERIOD = 3000; // ms
const moving = /** @type {HTMLElement} */ (document.querySelector("[data-moves]"));
let stream = null;
let leave = null; // releases the stream
let turn = 0;
let timer = 0;

/** Attributes that the user may have changed, so we keep them. */
const OWN = new Set(["open", "value", "checked", "selected"]);

function keyOf(node) {
  return node.dataset?.key;
}

/** Make a node equal to a newer one with the same name. */
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

/** Make the children of an element equal to those of a newer element. */
function updateChildren(parent, newer) {
  const keyed = new Map([...parent.children].map((child) => [keyOf(child), child]));
  let at = parent.firstChild; // the children before this one are up to date
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

/** Update the page. Returns true unless this was the last change. */
async function refresh() {
  const response = await fetch(location.href).catch(() => null);
  if (!response?.ok) return true;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const newer = page.getElementById(moving.id);
  if (!newer) return false;
  const focused = /** @type {HTMLElement} */ (moving.contains(document.activeElement) ? document.activeElement : null);
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
    timer = setTimeout(poll, PERIOD); // all streams are taken, so poll
  };
}

if (moving) {
  document.addEventListener("visibilitychange", look);
  look();
}

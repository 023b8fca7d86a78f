// Helpers that create elements of the page. Text becomes text nodes, never HTML.

const GLYPHS = ["●", "■", "▲", "◆", "★"];
const SVG = "http://www.w3.org/2000/svg";
// Control characters, and characters that change the text direction or have no width.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Escape invisible characters in a text. */
export function plain(text) {
  return String(text).replace(UNSEEN, (found) => "\\u" + found.charCodeAt(0).toString(16).padStart(4, "0"));
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "style") {
      for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
    } else if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value === true ? "" : plain(value));
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : plain(child));
  }
  return node;
}

/** Format a number, with a minus instead of a hyphen. */
export const numeral = (value) => String(value ?? "").replace("-", "−");

/** Create an HTML element. `style` is an object of properties, and handlers such as `onclick` are functions. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Create an SVG element, with the same arguments. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Create a 24 x 24 icon from path data. */
export function icon(path) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: path }));
}

/** Seat number -> its colour, glyph and name. `own` is the seat of the person at this page.
 *  @param {Page.Header} header
 *  @param {number} [own] */
export function seats(header, own) {
  const known = header.seats.map((seat, index) => ({
    colour: `var(--seat-${(index % GLYPHS.length) + 1})`,
    glyph: GLYPHS[index % GLYPHS.length],
    name: index === own ? "You" : plain(seat.name || seat.id),
    isYou: index === own,
    index,
  }));
  return (index) => known[index];
}

/** Create a label of a seat: glyph and name, in its colour. */
export function tag({ colour, glyph, name }) {
  return el(
    "span",
    { class: "seat", style: { "--seat": colour } },
    el("span", { class: "glyph", "aria-hidden": "true" }, glyph),
    el("bdi", { title: name }, name.split(/(?<=_)/).flatMap((part) => [part, el("wbr")])),
  );
}

/** Create the glyph of a seat, for lines that stay short. It says the name to those who point at it or hear it. */
export function sign({ colour, glyph, name }) {
  return el("span", { class: "glyph", style: { "--seat": colour }, title: name, role: "img", "aria-label": name }, glyph);
}

/** Read a stored setting of this page. "" if there is none, or the browser stores nothing. */
export function remembered(name) {
  try {
    return localStorage.getItem("referee-" + name) ?? "";
  } catch {
    return "";
  }
}

/** Store a setting, if the browser allows it. */
export function remember(name, value) {
  try {
    localStorage.setItem("referee-" + name, value);
  } catch {
    // In a sandboxed frame, or with storage disabled: the setting lasts until the page closes.
  }
}

const scrolls = new Map(); // box -> the child to scroll to

/** Scroll a box, and nothing around it, until a child is visible. null scrolls to the top.
 *  Scrolling needs a layout, so we do it in the next frame. */
export function reveal(box, child) {
  if (!scrolls.size) requestAnimationFrame(scroll);
  scrolls.set(box, child);
}

function scroll() {
  const tops = [...scrolls].map(([box, child]) => {
    if (!child) return [box, 0];
    const { scrollTop, clientHeight } = box;
    const { top, height } = child.getBoundingClientRect();
    const from = top - box.getBoundingClientRect().top;
    return [box, from >= 0 && from + height <= clientHeight ? scrollTop : scrollTop + from - clientHeight / 3];
  });
  scrolls.clear();
  for (const [box, top] of tops) box.scrollTop = top;
}

/** Format a number of bytes. */
export function size(count) {
  return count < 1e6 ? `${Math.round(count / 1000)} KB` : `${(count / 1e6).toFixed(1)} MB`;
}

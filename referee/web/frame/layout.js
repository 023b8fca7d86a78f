// The zones of a drawing: boxes whose sizes depend on the window, never on their content.

import { el } from "./kit.js";

/** Make the boxes of zones [{name, label, share}, ...] in a place: {name: box}. By default they are rows, whose
    heights are shares of it; the style sheet of the drawing may lay them out in another way. */
export function boxesIn(place, zones) {
  const boxes = {};
  for (const { name, label, share = 1 } of zones) {
    boxes[name] = el("section", { class: "zone", "data-zone": name, "aria-label": label, style: { "--share": share } });
  }
  place.replaceChildren(...Object.values(boxes));
  place.style.setProperty("--rows", zones.map(({ share = 1 }) => `minmax(0, ${share}fr)`).join(" "));
  return boxes;
}

// The zones of a drawing: boxes whose sizes depend on the window, never on their content.

import { el } from "./kit.js";

/** Create boxes for zones [{name, label, share}, ...] in a place. Returns {name: box}. By default they are rows, and
 *  their heights are proportional to the shares. The drawing's style sheet may arrange them differently. */
export function boxesIn(place, zones) {
  const boxes = {};
  for (const { name, label, share = 1 } of zones) {
    boxes[name] = el("section", { class: "zone", "data-zone": name, "aria-label": label, style: { "--share": share } });
  }
  place.replaceChildren(...Object.values(boxes));
  place.style.setProperty("--rows", zones.map(({ share = 1 }) => `minmax(0, ${share}fr)`).join(" "));
  return boxes;
}

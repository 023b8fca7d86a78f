// Light or dark theme: the system's setting, or the user's.

import { el, icon, remember, remembered } from "./kit.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");
const HALF = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z";

/** Apply the stored theme. */
export function dressed() {
  const kept = remembered("theme");
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
}

/** Switch between dark and light. */
export function toggleTheme() {
  const { dataset } = document.documentElement;
  const dark = dataset.theme ? dataset.theme === "dark" : DARK.matches;
  dataset.theme = dark ? "light" : "dark";
  remember("theme", dataset.theme);
  dispatchEvent(new Event("dressed")); // drawings on a canvas have to be repainted
}

DARK.addEventListener("change", () => dispatchEvent(new Event("dressed")));

/** The button that switches the theme. */
export function themeButton() {
  return el("button", { class: "button", "aria-label": "Dark or light", title: "Dark or light (d)", onclick: toggleTheme }, icon(HALF));
}

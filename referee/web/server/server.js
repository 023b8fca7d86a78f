// What served pages have beside their links: the switch between dark and light.

const root = document.documentElement;

function kept() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // storage is switched off
  }
}

function keep(value) {
  try {
    localStorage.setItem("theme", value);
  } catch {
    // it lasts until the page is left
  }
}

function toggle() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  keep(root.dataset.theme);
}

if (["dark", "light"].includes(kept())) root.dataset.theme = kept();

const button = document.createElement("button");
button.type = "button";
button.className = "button";
button.title = "Dark or light";
button.setAttribute("aria-label", "Dark or light");
button.textContent = "◐";
button.addEventListener("click", toggle);
document.querySelector(".top").append(button);

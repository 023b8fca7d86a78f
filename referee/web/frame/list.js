// The list of matches, in a file with several.

import { el, seats, tag } from "./kit.js";
import { themeButton } from "./theme.js";

/** Show the matches as a table of links. */
export function showList(root, list) {
  document.title = root.dataset.list || `${list.length} matches`;
  const rows = list.map((header, index) => {
    const seat = seats(header);
    const { outcome } = header;
    const players = header.seats.map((_, number) => el(
      "span",
      { class: `player-of${outcome?.winners.includes(number) ? " won" : ""}` },
      tag(seat(number)),
      outcome && el("span", { class: "points" }, outcome.scores[number]),
    ));
    return el(
      "tr",
      null,
      el("td", { class: "dim" }, index + 1),
      el("th", { scope: "row" }, el("a", { href: `#match=${index + 1}`, "aria-label": `Match ${index + 1}: ${header.title}` }, players)),
      el("td", null, header.game),
      el("td", null, outcome ? outcome.why : header.problem || "not over"),
      el("td", { class: "source" }, header.source),
    );
  });
  const names = ["", "players", "game", "end", "file"];
  root.className = "list";
  root.replaceChildren(
    el("header", { class: "bar" }, el("h1", null, document.title), el("div", { class: "tools" }, themeButton())),
    el("div", { class: "wide", tabindex: "0" }, el("table", null, el("thead", null, el("tr", null, names.map((name) => (name ? el("th", { scope: "col" }, name) : el("td"))))), el("tbody", null, rows))),
  );
}

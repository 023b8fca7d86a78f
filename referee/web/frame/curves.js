// Points and the game's other series, as curves and as a table.

import { el, svg, tag } from "./kit.js";

const WIDTH = 400;
const HEIGHT = 200;
const LEFT = 36;
const RIGHT = 24;
const TOP = 10;
const BOTTOM = 24;

// Choose about four round numbers between low and high.
function marksOf(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const unit = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const found = [];
  for (let at = Math.ceil(low / unit); at * unit <= high; at++) found.push(Number((at * unit).toPrecision(6)));
  return found;
}

/** The panel with the curves. */
export class Curves {
  title = "Curves";
  key = "c";

  constructor(app) {
    this.app = app;
    this.charts = [];
    this.element = el("div", { class: "curves" });
  }

  reset() {
    if (this.match === this.app.match) {
      for (const chart of this.charts) chart.grow();
      return;
    }
    this.match = this.app.match;
    this.charts = this.match.header.series.map((series) => this.#chart(series));
    this.element.replaceChildren(...this.charts.map((chart) => chart.element));
    if (!this.charts.length) this.element.append(el("p", { class: "dim" }, "This game has no series."));
  }

  #chart({ name, unit }) {
    const { app } = this;
    const { match, seat } = app;
    let [low, high, seen] = [0, 1, 0];
    const lines = match.header.seats.map((_, index) => {
      const style = { "--seat": seat(index).colour };
      const path = svg("path", { class: `curve curve-${index % 5}`, style });
      return { d: "", value: undefined, path, end: svg("text", { class: "end", style, x: WIDTH - RIGHT + 5 }, seat(index).glyph) };
    });
    const x = (step) => LEFT + ((WIDTH - LEFT - RIGHT) * step) / Math.max(match.last, 1);
    const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * (value - low)) / (high - low);
    const grid = svg("g");
    const curves = svg("g", null, lines.map((line) => line.path)); // the paths use steps and values as units, so they only grow at the end
    const cursor = svg("line", { class: "cursor", y1: TOP - 6, y2: HEIGHT - BOTTOM });
    const drawing = svg(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", "aria-hidden": "true",
        onclick: (event) => {
          const box = drawing.getBoundingClientRect();
          const at = ((event.clientX - box.left) / box.width) * WIDTH;
          app.go(Math.round(((at - LEFT) / (WIDTH - LEFT - RIGHT)) * match.last));
        },
      },
      grid, curves, lines.map((line) => line.end), cursor,
    );
    const draw = () => {
      for (; seen < match.values.length; seen++) {
        lines.forEach((line, index) => {
          const value = match.values[seen][name]?.[index];
          if (value === undefined || value === null || value === line.value) return;
          line.d += line.d ? `H${seen}V${value}` : `M${seen} ${value}`;
          line.value = value;
          low = Math.min(low, value);
          high = Math.max(high, value);
        });
      }
      grid.replaceChildren(
        ...marksOf(low, high).flatMap((value) => [
          svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
          svg("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, value),
        ]),
        ...marksOf(match.order[0], match.order.at(-1)).filter((turn) => match.first.has(turn)).map((turn) => (
          svg("text", { x: x(match.first.get(turn)), y: HEIGHT - 6, "text-anchor": "middle" }, turn)
        )),
      );
      curves.setAttribute("transform", `translate(${LEFT} ${y(0)}) scale(${x(1) - LEFT} ${y(1) - y(0)})`);
      for (const { d, value, path, end } of lines) {
        if (!d) continue;
        path.setAttribute("d", `${d}H${match.last}`);
        end.setAttribute("y", y(value) + 5);
      }
    };
    const now = lines.map((_, index) => el("output", { class: "figure" }));
    const body = el("tbody");
    const figures = el(
      "details",
      { ontoggle: () => figures.open && fillTable() },
      el("summary", null, "Figures"),
      el(
        "div",
        { class: "wide", tabindex: "0" },
        el(
          "table",
          null,
          el("caption", { class: "unseen" }, `${name} at the end of each turn`),
          el("thead", null, el("tr", null, el("th", { scope: "col" }, "turn"), lines.map((_, index) => el("th", { scope: "col" }, tag(seat(index)))))),
          body,
        ),
      ),
    );
    const fillTable = () => body.replaceChildren(...match.order.map((turn, place) => {
      const next = match.order[place + 1];
      const values = match.values[next === undefined ? match.last : match.first.get(next)][name] ?? [];
      return el("tr", null, el("th", { scope: "row" }, turn), values.map((value) => el("td", null, value ?? "")));
    }));
    const grow = () => {
      draw();
      if (figures.open) fillTable();
    };
    const element = el(
      "section",
      { class: "series" },
      el("h3", null, name, unit && el("span", { class: "dim" }, ` ${unit}`)),
      el("ul", { class: "legend" }, lines.map((_, index) => el("li", null, tag(seat(index)), now[index]))),
      drawing,
      figures,
    );
    draw();
    return { name, element, cursor, now, x, grow };
  }

  update() {
    const { match, step } = this.app;
    for (const chart of this.charts) {
      const at = chart.x(step).toFixed(1);
      chart.cursor.setAttribute("x1", at);
      chart.cursor.setAttribute("x2", at);
      chart.now.forEach((output, index) => {
        output.textContent = match.values[step][chart.name]?.[index] ?? "";
      });
    }
  }
}

// Draws small games: boards, hands, cards and texts, as divided into parts by `parts.py`.
//
// People click the cell, column or card that a move names (`Game.cells`). Other moves are buttons.

const BLANK = /^[\s._·-]?$/; // symbols for an empty cell
const MANY = 12; // if there are more buttons, they get the whole width
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The zones of the table. The style sheet arranges them. */
export function zones(header, isSeat) {
  return [
    { name: "board", label: "Boards and cards", share: 4 },
    { name: "now", label: "What happens now" },
    { name: "side", label: "Beside the table", share: 2 },
    ...(isSeat ? [{ name: "buttons", label: "Answers" }] : []),
  ];
}

/** Draw into the boxes of the zones. See tools/javascript/page-data.md for the interface. */
export function mount(boxes, header, kit) {
  const { el } = kit;
  const marks = header.facts.marks ?? {}; // mark -> its seat, its word, or its word and colour
  const once = kit.keeper();
  const stage = new kit.Stage(boxes.now, kit.seat);
  const table = boxes.now.parentElement;
  const [middle, side] = [boxes.board, boxes.side].map((box) => box.appendChild(el("div", { class: "sg" })));
  boxes.now.classList.add("wordy");
  if (boxes.buttons) table.classList.add("sg-seat");
  for (const [name, hear] of [["keydown", arrows], ["click", clicked], ["pointerover", hover]]) table.addEventListener(name, hear);
  let shown = []; // the last view that was drawn, and the one before it
  let most = 0; // the largest number of cards so far, so that cards never grow again
  const pressed = new Set(); // lists whose cards could be clicked, which stay large enough for that
  let picked = []; // the first cells of a move that takes several
  let cursor = ""; // the cell that had the focus last
  const asking = new kit.Asking(table, paint);

  function paint() {
    const [view, before] = shown;
    if (!view) return;
    const old = new Map((before?.parts ?? []).map((part) => [part.label, part]));
    const texts = view.parts.filter(({ kind }) => kind === "text");
    const boards = view.parts.filter(({ kind }) => kind === "board").length;
    const inBoard = ({ kind }) => (boards ? kind === "board" : kind !== "text");
    const nodeOf = (part) => {
      const was = old.get(part.label);
      const places = open(part);
      const key = [part, was, picked, [...places]];
      const { whole, title } = once(part.label, part.kind, () => sectionOf(part));
      const { list } = once(`in ${part.label}`, key, () => ({ list: inside(part, was, places).filter(Boolean) }));
      kit.fill(whole, [title, ...list]);
      return whole;
    };
    const rest = view.parts.filter((part) => part.kind !== "text" && !inBoard(part)).map(nodeOf);
    kit.fill(middle, view.parts.filter(inBoard).map(nodeOf));
    kit.fill(side, texts.length ? [...rest, once("texts", [texts, texts.map(({ label }) => old.get(label))], () => textsOf(texts, old))] : rest);
    middle.classList.toggle("sg-bare", !boards);
    most = Math.max(most, view.parts.reduce((sum, { cards, hands }) => sum + (cards ?? hands?.flat() ?? []).length, 1));
    const measures = {
      root: Math.sqrt(most),
      boards,
      heads: ["3.75rem", "6rem", "6rem"][legendMarks().length] ?? "8.5rem",
      side: rest.length ? "30%" : `${2.1 * texts.length + 0.5}rem`,
    };
    for (const [name, value] of Object.entries(measures)) table.style.setProperty(`--${name}`, value);
    table.classList.toggle("sg-across", boards !== 1 && !rest.length);
    if (!boxes.buttons) return;
    const { list } = once("buttons", [asking.question, picked], () => ({ list: choices() }));
    if (list.length) table.classList.add(list.length > MANY ? "sg-many" : "sg-few"); // never undone, so that the layout is stable
    kit.fill(boxes.buttons, list);
  }

  // --- parts -----------------------------------------------------------------------------------

  function sectionOf(part) {
    const owner = marks[part.label];
    const title = el("h2", null, typeof owner === "number" && [kit.tag(kit.seat(owner)), ": "], part.label);
    return { title, whole: el("section", { class: `sg-part sg-${part.kind}`, "aria-label": part.label }, title) };
  }

  function inside(part, was, places) {
    return { board, hands, cards }[part.kind](part, was?.kind === part.kind ? was : null, places);
  }

  function board(part, was, places) {
    const rows = part.rows.map((row) => [...row]);
    const old = was?.rows.map((row) => [...row]);
    const same = old?.length === rows.length && old[0].length === rows[0].length;
    const isKnown = (at, column) => isHidden(rows[at][column]) === isHidden(old[at][column]);
    const shows = same ? rows.flatMap((row, at) => row.filter((_, column) => !isKnown(at, column))).length : 0; // number of cells revealed or hidden
    const longest = Math.max(...rows.flat().map((item) => word(item).length), 1);
    const style = { "--rows": rows.length, "--cols": rows[0].length, "--size": Math.min(0.46, 1.3 / longest) };
    const { across = [], down = [] } = part;
    const { table, head, body } = once(`${part.label} table`, [style, across, down], () => tableOf(part, style)); // creating it again would take a long layout
    kit.fill(head, [
      ...(down.length ? [once(`${part.label} corner`, 0, () => el("td"))] : []),
      ...across.map((name, column) => el("th", { scope: "col" }, press(part, null, column, places, name) ?? name)),
    ]);
    const lines = rows.map((row, at) => {
      const news = row.map((item, column) => same && old[at][column] !== item && (shows === 1 || isKnown(at, column)));
      const here = [...places].filter(([place]) => place.startsWith(`${at} `) || place.startsWith("null "));
      return once(`${part.label} row ${at}`, [row, news, here, picked, down], () => line(row, at, news));
    });
    kit.fill(body, lines);

    function line(row, at, news) {
      const cells = row.map((item, column) => {
        const inside = face(item);
        const corner = !across.length && places.get(`${at} ${column}`);
        const button = press(part, at, column, places, inside, word(item), corner);
        const column_ = places.has(`null ${column}`) ? String(column) : null;
        return el("td", { class: news[column] ? "sg-new" : null, "data-column": column_ }, button ?? inside);
      });
      return el("tr", null, down.length > 0 && el("th", { scope: "row" }, down[at]), cells);
    }

    const legend = legendMarks().map((mark) => el("li", null, face(mark), " ", el("bdi", null, meaning(mark).name)));
    return [legend.length > 0 && once(`${part.label} legend`, 0, () => el("ul", { class: "sg-legend" }, legend)), table];
  }

  function tableOf(part, style) {
    const [head, body] = [el("tr"), el("tbody")];
    return { head, body, table: el("table", { style, "data-part": part.label }, part.across?.length > 0 && el("thead", null, head), body) };
  }

  function hands(part, was, places) {
    return part.hands.map((hand, seat) => {
      return el("div", { class: "sg-hand" }, el("h3", null, kit.tag(kit.seat(seat))), tiles(part, hand ?? [null], was?.hands[seat], places, seat));
    });
  }

  function cards(part, was, places) {
    return [tiles(part, part.cards, was?.cards, places, 0)];
  }

  function tiles(part, items, was, places, row) {
    if (!items.length) return el("p", { class: "dim" }, "none");
    const old = [...(was ?? items)];
    const key = `${row} ${part.label}`;
    if ([...places.keys()].some((place) => place.startsWith(`${row} `))) pressed.add(key);
    return el("ul", { class: `sg-tiles ${pressed.has(key) ? "sg-large" : ""}`, "data-part": part.label }, items.map((item, column) => {
      const place = old.indexOf(item);
      if (place >= 0) old.splice(place, 1);
      const button = press(part, row, column, places, word(item), word(item));
      const kind = isHidden(item) ? "sg-unseen" : place < 0 ? "sg-new" : "";
      return el("li", { class: `sg-card ${kind}`, title: isHidden(item) ? "hidden" : null }, button ?? word(item));
    }));
  }

  function textsOf(texts, old) {
    const changed = (part) => old.has(part.label) && old.get(part.label).text !== part.text;
    const row = (part) => el("div", { class: changed(part) ? "sg-new" : null }, el("dt", null, part.label), el("dd", null, part.text === null ? face(null) : part.text));
    return el("dl", { class: "sg-part sg-texts" }, texts.map(row));
  }

  /** Return the marks that are on boards. If several have the same meaning, return the first one. */
  function legendMarks() {
    const labels = shown[0].parts.map(({ label }) => label);
    const names = Object.keys(marks).map((mark) => labels.includes(mark) ? "" : meaning(mark).name);
    return Object.keys(marks).filter((_, at) => names[at] && names.indexOf(names[at]) === at);
  }

  /** Return the name and the colour of a mark. A mark that is only a word has no colour. */
  function meaning(mark) {
    const means = marks[mark];
    if (typeof means === "number") return kit.seat(means);
    const [name, colour] = [means].flat();
    return { name, colour };
  }

  function face(item) {
    const text = word(item);
    if (isHidden(item)) return el("span", { class: "sg-unseen", title: "hidden" }, "?");
    const { colour } = Object.hasOwn(marks, text) ? meaning(text) : {};
    if (colour) return el("span", { class: "sg-mark", style: { "--seat": colour } }, text);
    return BLANK.test(text) ? el("span", { class: "unseen" }, "empty") : text;
  }

  // --- moves -----------------------------------------------------------------------------------

  /** The choices whose path starts with `from` and continues at this place. Without a place, the path only has to start with `from`. */
  function going(part, row, column, from = picked) {
    const path = column === undefined ? from : [...from, [row, column]];
    return (asking.question?.targets ?? []).flatMap((target, index) => {
      const goes = target?.part === part && path.every(([r, c], at) => target.path[at]?.[0] === r && target.path[at][1] === c);
      return goes ? [[index, target.path.length === path.length]] : [];
    });
  }

  /** Return the places of a part that can be clicked, with the name of what is chosen there. */
  function open(part) {
    const places = new Map();
    for (const from of picked.length ? [picked, []] : [[]]) {
      for (const [index] of going(part.label, null, undefined, from)) {
        const next = asking.question.targets[index].path[from.length];
        if (next) places.set(next.map(String).join(" "), asking.question.choices[index].name);
      }
    }
    return places;
  }

  function press(part, row, column, places, inside, content = "", corner = "") {
    const place = `${row} ${column}`;
    if (!places.has(place)) return null;
    const isPicked = picked.some(([r, c]) => r === row && c === column);
    const found = going(part.label, row, column);
    const name = found.length === 1 && row !== null ? places.get(place) : nameOf(part, row, column);
    const attributes = {
      class: "sg-press", "data-choice": found.length === 1 ? found[0][0] : place, "data-row": row ?? -1, "data-col": column, tabindex: "-1",
      "aria-label": content === name || BLANK.test(content) ? name : `${name} ${content}`, "aria-pressed": isPicked ? "true" : null,
    };
    return el("button", { type: "button", ...attributes }, inside, corner && BLANK.test(content) && el("small", null, corner));
  }

  function choices() {
    const { question } = asking;
    const here = picked.length ? going(asking.part).filter(([, isWhole]) => isWhole).map(([index]) => index) : [];
    const known = new Set(shown[0].parts.map(({ label }) => label));
    return (question?.choices ?? []).flatMap((choice, index) => {
      const target = question.targets[index];
      return !known.has(target?.part) || here.includes(index) ? [asking.button(index, { class: "button text sg-button" }, choice.name)] : [];
    });
  }

  function click(part, row, column) {
    let found = going(part, row, column);
    if (!found.length && picked.length) {
      const last = picked.at(-1);
      const again = last[0] === row && last[1] === column;
      picked = [];
      found = again ? [] : going(part, row, column);
    }
    if (found.length === 1 && found[0][1]) {
      picked = [];
      asking.choose(found[0][0]);
      return;
    }
    if (found.length) picked = [...picked, [row, column]];
    asking.part = part;
    asking.keepFocus(paint);
    roving();
  }

  function clicked(event) {
    const part = event.target.closest("[data-part]")?.dataset.part;
    const button = event.target.closest(".sg-press");
    const cell = event.target.closest("[data-column]");
    if (button) {
      cursor = `${part} ${button.dataset.row} ${button.dataset.col}`;
      click(part, button.dataset.row === "-1" ? null : Number(button.dataset.row), Number(button.dataset.col));
    } else if (cell) click(part, null, Number(cell.dataset.column));
  }

  function hover(event) {
    const column = event.target.closest("[data-column]")?.dataset.column;
    for (const button of middle.querySelectorAll("th .sg-press")) button.classList.toggle("sg-over", button.dataset.col === column);
  }

  // Only one place of a board is in the Tab order. The arrow keys lead to the others.
  function roving() {
    for (const around of table.querySelectorAll("[data-part]")) {
      const all = [...around.querySelectorAll(".sg-press")];
      const at = all.find((button) => `${around.dataset.part} ${button.dataset.row} ${button.dataset.col}` === cursor) ?? all[0];
      for (const button of all) button.tabIndex = button === at ? 0 : -1;
    }
  }

  function arrows(event) {
    const way = ARROWS[event.key];
    const from = event.target.closest(".sg-press");
    if (!way || !from || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    let best = null;
    for (const button of event.target.closest("[data-part]").querySelectorAll(".sg-press")) {
      const down = button.dataset.row - from.dataset.row;
      const right = button.dataset.col - from.dataset.col;
      const ahead = down * way[0] + right * way[1];
      const far = ahead + 16 * Math.abs(down * way[1] + right * way[0]);
      if (ahead > 0 && !(best?.far <= far)) best = { button, far };
    }
    if (!best) return;
    const { part } = best.button.closest("[data-part]").dataset;
    cursor = `${part} ${best.button.dataset.row} ${best.button.dataset.col}`;
    roving();
    best.button.focus();
  }

  return {
    draw(frame) {
      const { view, before, mover, ended } = frame;
      shown = [view, before];
      stage.paint({ ...frame, last: [] }, ended ? "The match is over." : mover !== null ? "has the turn" : frame.step ? "" : "The match begins.");
      paint();
      roving();
    },
    picked: () => asking.picked(),
    ask(...asked) {
      picked = [];
      asking.ask(...asked);
      roving();
      if (!table.contains(document.activeElement)) return;
      const [row, column] = cursor.split(" ").slice(-2);
      table.querySelector(`.sg-press[data-row="${row}"][data-col="${column}"]`)?.focus();
    },
  };
}

/** Return the name of a cell or a column. It's "B3" if moves name cells in that way. */
function nameOf({ across = [], down = [] }, row, column) {
  const [r, c] = [down[row] ?? String(row + 1), across[column] ?? String(column + 1)];
  if (row === null) return `column ${c}`;
  return /^\D\d+$|^\d+\D$/.test(r + c) ? [r, c].sort().reverse().join("") : `row ${r} column ${c}`;
}

function isHidden(item) {
  return item === null || item === "?";
}

function word(item) {
  return item === null ? "?" : item === true ? "yes" : item === false ? "no" : String(item);
}

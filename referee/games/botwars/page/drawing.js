// Draws the grid of Bot Wars on a canvas, and each side's figures as text. People move botlets by dragging or by keys.
//
// `rules/view.py` describes the view: the state, and the moves, deaths and new botlets of the turn before it. Cells
// are row * cols + column. Lists of two have an entry per seat.

const LETTERS = "rb";
const WAYS = { up: [-1, 0, "↑"], left: [0, -1, "←"], right: [0, 1, "→"], down: [1, 0, "↓"] };
const LINES_FROM = 8; // px per cell. Smaller cells have no lines between them
const NUMBERS_FROM = 20; // px per cell. With smaller cells, only some rows and columns are numbered
const EDGE = 20; // px for the numbers of rows and columns
const MOVING = 200; // ms that botlets take to move

/** The zones of the table. The style sheet arranges them. */
export function zones(header, isSeat) {
  return [
    { name: "board", label: "Grid", share: 4 },
    { name: "now", label: "What happens now" },
    { name: "sides", label: "Both sides" },
    ...(isSeat ? [{ name: "buttons", label: "Your moves" }] : []),
  ];
}

/** Draw into the boxes of the zones. See tools/javascript/page-data.md for the interface. */
export function mount(boxes, header, kit) {
  const canvas = kit.el("canvas", { class: "bw-grid", role: "img" });
  const sides = [0, 1].map((seat) => sideOf(kit, seat));
  const colour = coloursOf(kit, canvas);
  const edges = [0, 1].map(() => kit.el("div", { class: "bw-edge", "aria-hidden": "true" }));
  const board = kit.el("div", { class: "bw-board" }, ...edges, canvas);
  const stage = new kit.Stage(boxes.now, kit.seat);
  boxes.now.classList.add("wordy");
  boxes.board.append(board);
  boxes.sides.append(kit.el("div", { class: "bw-sides" }, ...sides.map((side) => side.root), legend(kit)));
  const moves = new Moves(kit, canvas, boxes.buttons, () => paint());
  let shown = null; // the view that was drawn last
  let room = null; // px available for the grid and its numbers
  let numbered = ""; // rows, columns and interval of the numbers, to see if they change
  const colours = new Map(); // name -> colour, cached during an animation
  const known = (name) => colours.get(name) ?? colours.set(name, colour(name)).get(name);
  let begun = 0; // start time of the animation, or 0
  let next = 0; // the next animation frame
  const watcher = new ResizeObserver(([{ contentRect: { width, height } }]) => {
    if (!width || (room?.width === width && room.height === height)) return; // hidden, or the size has not changed
    room = { width, height };
    paint();
  });
  watcher.observe(boxes.board);

  canvas.addEventListener("pointermove", (event) => {
    if (moves.view) canvas.title = `cell ${moves.at(event)}: ${moves.cellName(moves.at(event))}`;
  });

  function paint() {
    if (!shown || !room) return;
    const way = begun ? Math.min((performance.now() - begun) / MOVING, 1) : 1; // 0 to 1, how far they have moved
    cancelAnimationFrame(next); // the animation of the previous step may still be running
    if (way === 1) begun = 0;
    else next = requestAnimationFrame(paint);
    if (way === 1) colours.clear(); // during the animation, colours stay cached
    drawGrid(canvas, known, shown, room, moves, way);
    number(shown, moves.cell);
  }

  function number({ rows, cols }, cell) {
    const each = cell >= NUMBERS_FROM ? 1 : cell >= LINES_FROM ? 5 : 10;
    board.style.setProperty("--cell", `${cell}px`);
    if (numbered === `${rows} ${cols} ${each}`) return;
    numbered = `${rows} ${cols} ${each}`;
    [cols, rows].forEach((count, side) => {
      const numbers = Array.from({ length: count }, (_, at) => kit.el("span", {}, at % each === 0 ? at : ""));
      edges[side].replaceChildren(...numbers);
    });
  }

  return {
    legend: SIGNS.map(([sign, words]) => [sign, words]),
    draw(frame) {
      const { before, isMoving } = frame;
      const { r, b } = frame.view.moves;
      const [red, blue] = [r, b].map((moves) => moves.map(([from, by]) => ({ from, to: from + by })));
      const view = { ...frame.view, moves: { r: red, b: blue } };
      shown = view;
      sides.forEach((side, seat) => side.show(view, seat));
      stage.paint({ ...frame, last: [`${view.maxTurns - view.turnsElapsed} turns left${frame.last.length ? "; " : ""}`, ...frame.last] }, frame.ended ? "The match is over." : view.turnsElapsed ? "" : "The match begins.");
      canvas.setAttribute("aria-label", `${view.rows} by ${view.cols} grid`);
      moves.look(view);
      begun = isMoving && before && before.turnsElapsed + 1 === view.turnsElapsed ? performance.now() : 0;
      colours.clear();
      room ??= { width: boxes.board.clientWidth, height: boxes.board.clientHeight };
      paint();
    },
    picked: () => moves.answer && moves.say(),
    ask: (question, _, answer) => moves.ask(question, answer),
    unmount() {
      moves.quit.abort();
      watcher.disconnect();
      cancelAnimationFrame(next);
    },
  };
}

// --- texts ---------------------------------------------------------------------------------------

function figures(view, seat) {
  const { energy, spawn, spawnDisabled } = seat ? view.p2 : view.p1;
  return {
    botlets: view.grid.split(LETTERS[seat]).length - 1,
    energy,
    spawn,
    razed: spawnDisabled,
    moved: view.moves[LETTERS[seat]].length,
    lost: view.died[seat].length,
    appeared: view.spawned[seat] ? 1 : 0,
  };
}

function sideOf(kit, seat) {
  const { colour, glyph, name } = kit.seat(seat);
  const cells = {};
  const row = (label) => {
    cells[label] = kit.el("dd", {});
    return kit.el("div", {}, kit.el("dt", {}, label), cells[label]);
  };
  const mark = kit.el("span", { class: "bw-mark", "aria-hidden": "true" }, glyph);
  const root = kit.el(
    "section",
    { class: "bw-side", style: { "--colour": colour } },
    kit.el("h2", {}, mark, kit.el("span", { class: "bw-name" }, name)),
    kit.el("dl", {}, row("botlets"), row("energy"), row("spawn"), row("moved")),
  );
  return {
    root,
    show(view, seat) {
      const has = figures(view, seat);
      const change = [has.appeared && `+${has.appeared}`, has.lost && `−${has.lost}`].filter(Boolean);
      cells.botlets.replaceChildren(kit.el("small", {}, change.join(" ")), ` ${has.botlets}`);
      cells.energy.textContent = has.energy;
      cells.spawn.textContent = has.razed ? "razed" : "open";
      cells.moved.textContent = has.moved;
      root.classList.toggle("bw-razed", has.razed);
    },
  };
}

const SIGNS = [["◆", "energy"], ["○", "spawn point"], ["⊖", "razed"], ["✕", "died"], ["⊕", "new"], ["→", "moved"]];

function legend(kit) {
  const mark = (sign) => kit.el("span", { class: sign === "◆" && "is-yellow", "aria-hidden": "true" }, sign);
  return kit.el("ul", { class: "bw-legend" }, ...SIGNS.map(([sign, words]) => kit.el("li", {}, mark(sign), ` ${words}`)));
}

// --- the grid ------------------------------------------------------------------------------------

// Returns the current colour for a name. We have to ask an element, because custom properties are not resolved.
function coloursOf(kit, canvas) {
  const names = ["bg", "text", "dim", "line", "accent", "seat-1", "seat-2", "yellow"];
  const marks = {};
  for (const name of names) marks[name] = kit.el("i", { style: { color: `var(--${name})` } });
  canvas.append(...Object.values(marks));
  return (name) => getComputedStyle(marks[name]).color;
}

function drawGrid(canvas, colour, view, room, moves, way) {
  const { rows, cols } = view;
  const ratio = window.devicePixelRatio || 1;
  const fits = (size, count) => Math.floor(((size - EDGE) * ratio - 2) / count);
  const cell = Math.max(Math.min(fits(room.width, cols), fits(room.height, rows)), 1); // device pixels
  const width = cell * cols + 2;
  const height = cell * rows + 2;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  canvas.style.width = `${width / ratio}px`;
  canvas.style.height = `${height / ratio}px`;
  moves.cell = cell / ratio;
  const context = canvas.getContext("2d");
  const pen = new Pen(context, cell, cols);
  const seats = [colour("seat-1"), colour("seat-2")];
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = colour("bg");
  context.fillRect(0, 0, width, height);
  context.translate(1, 1);

  if (cell / ratio >= LINES_FROM) {
    pen.stroke(colour("line"), Math.max(Math.round(ratio / 2), 1), () => {
      for (let col = 1; col < cols; col++) pen.line(col * cell - 0.5, 0, col * cell - 0.5, height);
      for (let row = 1; row < rows; row++) pen.line(0, row * cell - 0.5, width, row * cell - 0.5);
    });
  }
  pen.stroke(colour("dim"), ratio, () => context.rect(-0.5, -0.5, width - 1, height - 1));

  const thin = Math.max(cell / 14, 1);
  [view.p1, view.p2].forEach((side, seat) => {
    pen.stroke(seats[seat], thin * 1.4, () => {
      pen.circle(side.spawn, 0.46);
      if (side.spawnDisabled) pen.bar(side.spawn, 0.46);
    });
  });
  pen.fill(colour("yellow"), () => pen.each(view.grid, "*", (at) => pen.diamond(at, 0.34)));
  seats.forEach((paint, seat) => {
    const made = view.moves[LETTERS[seat]];
    pen.stroke(paint, thin * 1.6, () => made.forEach(({ from, to }) => pen.arrow(from, to)));
  });

  if (way < 1) {
    seats.forEach((paint, seat) => pen.fill(paint, () => view.moves[LETTERS[seat]].forEach(({ from, to }) => pen.botlet(seat, from, to, way))));
  }
  seats.forEach((paint, seat) => {
    const both = new Set(view.died[1 - seat]);
    pen.stroke(paint, thin * 2.4, () => {
      (way < 1 ? [] : view.died[seat]).forEach((at) => pen.cross(at, 0.25, both.has(at) ? seat + 1 : 0));
    });
  });

  seats.forEach((paint, seat) => {
    pen.fill(paint, () => {
      const going = new Set(way < 1 ? view.moves[LETTERS[seat]].map(({ to }) => to) : []);
      pen.each(view.grid, LETTERS[seat], (at) => going.has(at) || pen.botlet(seat, at, at, 1));
    });
  });
  const born = [view.p1.spawn, view.p2.spawn].filter((at, seat) => view.spawned[seat]);
  pen.stroke(colour("bg"), thin * 1.6, () => born.forEach((at) => pen.plus(at, 0.17)));

  moves.paint(pen, colour, thin);
}

class Pen {
  constructor(context, cell, cols) {
    this.context = context;
    this.cell = cell;
    this.cols = cols;
  }
  stroke(paint, width, path) {
    this.context.beginPath();
    path();
    this.context.strokeStyle = paint;
    this.context.lineWidth = width;
    this.context.lineCap = this.context.lineJoin = "round";
    this.context.stroke();
  }
  fill(paint, path) {
    this.context.beginPath();
    path();
    this.context.fillStyle = paint;
    this.context.fill();
  }
  each(grid, letter, path) {
    for (let at = grid.indexOf(letter); at >= 0; at = grid.indexOf(letter, at + 1)) path(at);
  }
  x(at) {
    return ((at % this.cols) + 0.5) * this.cell;
  }
  y(at) {
    return (Math.floor(at / this.cols) + 0.5) * this.cell;
  }
  line(x, y, toX, toY) {
    this.context.moveTo(x, y);
    this.context.lineTo(toX, toY);
  }
  circle(at, size) {
    const radius = size * this.cell;
    this.context.moveTo(this.x(at) + radius, this.y(at));
    this.context.arc(this.x(at), this.y(at), radius, 0, 2 * Math.PI);
  }
  square(at, size) {
    const half = size * this.cell;
    this.context.rect(this.x(at) - half, this.y(at) - half, 2 * half, 2 * half);
  }
  botlet(seat, from, to, way) { // somewhere between the two cells
    const { context } = this;
    context.save();
    context.translate((this.x(from) - this.x(to)) * (1 - way), (this.y(from) - this.y(to)) * (1 - way));
    if (seat) this.square(to, 0.27);
    else this.circle(to, 0.32);
    context.restore();
  }
  diamond(at, size) {
    const [x, y, half] = [this.x(at), this.y(at), size * this.cell];
    this.context.moveTo(x, y - half);
    [[half, 0], [0, half], [-half, 0]].forEach(([right, down]) => this.context.lineTo(x + right, y + down));
    this.context.closePath();
  }
  bar(at, size) {
    this.line(this.x(at) - size * this.cell, this.y(at), this.x(at) + size * this.cell, this.y(at));
  }
  plus(at, size) {
    this.bar(at, size);
    this.line(this.x(at), this.y(at) - size * this.cell, this.x(at), this.y(at) + size * this.cell);
  }
  cross(at, size, stroke) { // stroke 1 or 2 draws only one of the lines
    const [x, y, half] = [this.x(at), this.y(at), size * this.cell];
    if (stroke !== 2) this.line(x - half, y - half, x + half, y + half);
    if (stroke !== 1) this.line(x - half, y + half, x + half, y - half);
  }
  arrow(from, to) { // ends at the edge of the target botlet
    const right = Math.sign(this.x(to) - this.x(from));
    const down = Math.sign(this.y(to) - this.y(from));
    const [x, y] = [this.x(to) - right * 0.38 * this.cell, this.y(to) - down * 0.38 * this.cell];
    const head = 0.16 * this.cell;
    this.line(this.x(from), this.y(from), x, y);
    this.line(x - (right + down) * head, y - (down + right) * head, x, y);
    this.context.lineTo(x - (right - down) * head, y - (down - right) * head);
  }
}

// --- a person's moves ----------------------------------------------------------------------------

class Moves {
  constructor(kit, canvas, controls, paint) {
    this.kit = kit;
    this.canvas = canvas;
    this.controls = controls;
    this.repaint = paint;
    this.view = null;
    this.cell = 1;
    this.quit = new AbortController();
    this.clear();
    const on = (name, hear, options) => {
      canvas.addEventListener(name, (event) => this.answer && hear(event), { signal: this.quit.signal, ...options });
    };
    on("keydown", (event) => this.key(event));
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.moved(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", () => this.drop());
    // Touching a botlet starts a drag. Touching anything else scrolls the page.
    on("touchstart", (event) => this.held !== null && event.preventDefault(), { passive: false });
  }
  clear() {
    this.answer = null;
    this.choices = new Map(); // cell -> way -> index of the choice
    this.ways = new Map(); // index of a choice -> [cell, way]
    this.selected = new Set();
    this.cursor = null; // the cell that the keys act on
    this.held = null; // the botlet that is being dragged
    this.corner = null; // the first corner of the selection
    this.far = null;
  }
  ask(question, answer) {
    this.clear();
    this.canvas.setAttribute("role", question ? "application" : "img");
    this.canvas.tabIndex = question ? 0 : -1;
    this.controls?.replaceChildren();
    if (!question) return this.repaint();
    this.answer = answer;
    question.targets.forEach(([at, way], index) => {
      if (!this.choices.has(at)) this.choices.set(at, new Map());
      this.choices.get(at).set(way, index);
      this.ways.set(index, [at, way]);
    });
    this.build(question);
    this.look(this.view);
    this.say();
    this.repaint();
  }
  look(view) {
    this.view = view;
    if (this.answer && view && this.cursor === null) this.cursor = this.next(-1);
  }
  build(question) {
    const { el } = this.kit;
    const button = (name, label, act) => el("button", { type: "button", class: "button bw-button", "aria-label": name, onclick: act }, label);
    this.status = el("p", { class: "bw-status", role: "status" });
    this.sendButton = button("Send the moves", "Send", () => this.send());
    this.sendButton.classList.add("bw-send");
    this.controls.replaceChildren(
      el(
        "div",
        { class: "bw-buttons" },
        ...Object.keys(WAYS).map((way) => button(`Move ${way}`, WAYS[way][2], () => this.go(way))),
        button("Select all botlets without a move", "All", () => this.all()),
        button("Undo", "Undo", () => this.undo()),
        this.sendButton,
      ),
      this.status,
      el(
        "p",
        { class: "bw-hint" },
        "Drag a botlet, or click some and press an arrow. On the grid: n next botlet, Space selects, a all, " +
          "arrows move, Shift with an arrow moves the one here, Backspace undoes, Enter sends, Escape clears.",
      ),
    );
  }
  planned() { // cell -> way. The last plan for a botlet counts
    return new Map(this.answer.picks.map((pick) => this.ways.get(pick)).filter(Boolean));
  }
  next(after) { // the next botlet without a plan, or any
    const cells = [...this.choices.keys()].sort((one, other) => one - other);
    const planned = this.planned();
    const free = cells.filter((at) => !planned.has(at));
    const among = free.length ? free : cells;
    return among.find((at) => at > after) ?? among[0] ?? null;
  }
  plan(cells, way) {
    const batch = cells.filter((at) => this.choices.get(at)?.has(way)).map((at) => [at, way]);
    const planned = new Map([...this.planned(), ...batch]);
    if (batch.length) this.answer.set([...planned].map(([at, to]) => this.choices.get(at).get(to)));
    this.selected.clear();
    if (batch.length === 1) this.cursor = batch[0][0];
    this.say(batch.length ? "" : `No botlet can go ${way} there. `);
  }
  go(way) { // plan a move of the selected botlets, or of the one under the cursor
    if (this.selected.size) this.plan([...this.selected], way);
    else if (this.choices.has(this.cursor)) this.plan([this.cursor], way);
    else this.say("No botlet is selected. ");
  }
  all() {
    const planned = this.planned();
    this.selected = new Set([...this.choices.keys()].filter((at) => !planned.has(at)));
    this.say();
  }
  undo() {
    this.answer.undo();
    this.say();
  }
  toggle(at) {
    if (!this.choices.has(at)) return;
    if (!this.selected.delete(at)) this.selected.add(at);
    this.say();
  }
  send() {
    this.answer.send();
  }
  say(before = "") {
    const count = this.planned().size;
    const selected = this.selected.size ? `, ${this.selected.size} selected` : "";
    const at = this.cursor === null ? "" : ` Cursor ${this.place(this.cursor)}.`;
    this.status.textContent = `${before}${count} of ${this.choices.size} botlets move${selected}.${at}`;
    this.sendButton.textContent = count ? `Send ${count}` : "Send none";
    this.repaint();
  }
  place(at) {
    const what = this.choices.has(at) ? "your botlet" : { "*": "energy", ".": "empty", x: "died" }[this.view.grid[at]] ?? "botlet of the other side";
    return `${this.cellName(at)}: ${what}`;
  }
  cellName(at) {
    return `row ${Math.floor(at / this.view.cols)}, column ${at % this.view.cols}`;
  }
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const way = Object.keys(WAYS).find((name) => event.key.toLowerCase() === `arrow${name}`);
    if (way && !event.shiftKey && !this.selected.size) this.step(way);
    else if (way) this.go(way);
    else if (event.key === " ") this.toggle(this.cursor);
    else if (event.key === "Enter") this.send();
    else if (event.key === "Backspace") this.undo();
    else if (event.key === "Escape") this.selected.clear();
    else if (event.key === "a") this.all();
    else if (event.key === "n") this.cursor = this.next(this.cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (this.answer) this.say();
  }
  step(way) {
    const [row, col] = this.reached(this.cursor ?? 0, way);
    const { rows, cols } = this.view;
    if (row >= 0 && row < rows && col >= 0 && col < cols) this.cursor = row * cols + col;
  }
  reached(at, way) {
    const { cols } = this.view;
    return [Math.floor(at / cols) + WAYS[way][0], (at % cols) + WAYS[way][1]];
  }
  at(event) { // the cell under the pointer, or the nearest one
    const { rows, cols } = this.view;
    const box = this.canvas.getBoundingClientRect();
    const within = (value, count) => Math.min(Math.max(Math.floor(value / this.cell), 0), count - 1);
    return within(event.clientY - box.top, rows) * cols + within(event.clientX - box.left, cols);
  }
  down(event) {
    if (event.button) return;
    const at = this.at(event);
    this.drop();
    if (this.choices.has(at)) this.held = this.far = at;
    else if (event.pointerType === "mouse") this.corner = this.far = at;
    else return;
    this.canvas.setPointerCapture(event.pointerId);
  }
  moved(event) {
    if (this.far === null || this.at(event) === this.far) return;
    this.far = this.at(event);
    this.repaint();
  }
  up(event) {
    const { held, corner } = this;
    const far = this.at(event);
    this.drop();
    if (held !== null && held === far) {
      this.cursor = held;
      this.toggle(held);
    } else if (held !== null) {
      const way = this.way(held, far);
      this.plan(this.selected.has(held) ? [...this.selected] : [held], way);
    } else if (corner !== null) {
      this.within(corner, far).forEach((at) => this.selected.add(at));
      if (corner === far) this.selected.clear();
      this.say();
    }
  }
  drop() {
    this.held = this.corner = this.far = null;
  }
  way(from, to) { // the direction of a drag, along its longer side
    const { cols } = this.view;
    const down = Math.floor(to / cols) - Math.floor(from / cols);
    const right = (to % cols) - (from % cols);
    if (Math.abs(down) > Math.abs(right)) return down < 0 ? "up" : "down";
    return right < 0 ? "left" : "right";
  }
  within(one, other) { // the botlets in the rectangle between two cells
    const { cols } = this.view;
    const between = (value, a, b) => value >= Math.min(a, b) && value <= Math.max(a, b);
    const row = (at) => Math.floor(at / cols);
    const has = (at) => between(row(at), row(one), row(other)) && between(at % cols, one % cols, other % cols);
    return [...this.choices.keys()].filter(has);
  }
  paint(pen, colour, thin) {
    if (!this.answer) return;
    const accent = colour("accent");
    const target = (at, way) => {
      const [row, col] = this.reached(at, way);
      return row * this.view.cols + col;
    };
    const plans = [...this.planned()];
    if (this.held !== null && this.far !== this.held) {
      const way = this.way(this.held, this.far);
      (this.selected.has(this.held) ? [...this.selected] : [this.held]).forEach((at) => {
        if (this.choices.get(at)?.has(way)) plans.push([at, way]);
      });
    }
    pen.stroke(colour("text"), thin * 2.6, () => plans.forEach(([at, way]) => pen.arrow(at, target(at, way))));
    const marked = new Set(this.selected);
    if (this.corner !== null) this.within(this.corner, this.far).forEach((at) => marked.add(at));
    pen.stroke(accent, thin * 2, () => marked.forEach((at) => pen.square(at, 0.42)));
    if (this.cursor !== null) {
      pen.context.setLineDash([pen.cell / 6, pen.cell / 6]);
      pen.stroke(colour("text"), thin * 1.6, () => pen.square(this.cursor, 0.47));
      pen.context.setLineDash([]);
    }
  }
}

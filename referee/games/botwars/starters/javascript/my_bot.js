#!/usr/bin/env node
// A bot for Bot Wars whose botlets take random steps. README.md says how to play it.

const NAME = "My Bot";

/** The cells next to a cell: above, below, left, right; none outside the grid. */
function steps({ rows, cols }, cell) {
  const row = Math.floor(cell / cols);
  const column = cell % cols;
  return [[row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]]
    .filter(([r, c]) => r >= 0 && r < rows && c >= 0 && c < cols)
    .map(([r, c]) => r * cols + c);
}

/** A step for each botlet of yours. `me` is "r" or "b", like your botlets in the grid. */
function chooseMoves(state, me) {
  const moves = [];
  for (let cell = 0; cell < state.grid.length; cell++) {
    if (state.grid[cell] !== me) continue;
    const near = steps(state, cell);
    moves.push({ from: cell, to: near[Math.floor(Math.random() * near.length)] });
  }
  return moves;
}

/** The reply to a message, or undefined: most are news about the game. */
function answer(message) {
  switch (message.type) {
    case "player-name-request": { // a match begins; it may not be the first
      const about = { name: NAME, version: 1, keep_alive: true };
      return { type: "player-name-reply", player_number: message.player_number, ...about };
    }
    case "move-request":
      return { type: "move-reply", moves: chooseMoves(message.state, message.player) };
  }
}

let text = ""; // what has come and is no whole line yet
process.stdin.setEncoding("utf8");
process.stdin.on("data", (piece) => {
  const lines = (text + piece).split("\n");
  text = lines.pop();
  for (const line of lines) {
    const reply = answer(JSON.parse(line));
    if (reply) process.stdout.write(JSON.stringify(reply) + "\n");
  }
});

#!/usr/bin/env node
// The gatherer as an HTTP server: run `node http_gatherer.js [PORT]`, then play against it.
//
// It understands all three ways of sending requests to a bot behind HTTP, so you can play
// `referee play --game botwars http://127.0.0.1:8080/ random_walker`,
// or use `classic:http://127.0.0.1:8080/` or `classic-form:http://127.0.0.1:8080/`.
// It stores nothing, so it can play many matches at once.

"use strict";
const http = require("http");

// Returns the cells above, below, left and right of a cell that are inside the grid.
function steps({ rows, cols }, cell) {
  const row = Math.floor(cell / cols);
  const column = cell % cols;
  return [[row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]]
    .filter(([r, c]) => r >= 0 && r < rows && c >= 0 && c < cols)
    .map(([r, c]) => r * cols + c);
}

function chooseMoves(state, me) {
  const { grid, cols } = state;
  const cells = Array.from(grid, (what, cell) => cell);
  const cellsWith = (what) => cells.filter((cell) => grid[cell] === what);
  const distance = (cell, goal) =>
    Math.abs(Math.floor(cell / cols) - Math.floor(goal / cols)) +
    Math.abs((cell % cols) - (goal % cols));
  const nearest = (cells, goal) =>
    cells.reduce((best, cell) => (distance(cell, goal) < distance(best, goal) ? cell : best));

  const energy = cellsWith("*");
  const moves = [];
  const planned = new Set(); // cells that our botlets will move to
  for (const cell of energy.length ? cellsWith(me) : []) {
    const goal = nearest(energy, cell);
    const free = steps(state, cell).filter((to) => ".x".includes(grid[to]) && !planned.has(to));
    const to = nearest([cell, ...free], goal);
    if (to !== cell) {
      planned.add(to);
      moves.push({ from: cell, to });
    }
  }
  return moves;
}

// Returns the response to a POST as a JSON value, or undefined if the body has no request.
function answer(body, contentType) {
  const form = contentType.startsWith("application/x-www-form-urlencoded");
  const text = form ? new URLSearchParams(body).get("data") : body;
  const message = JSON.parse(text.trimEnd().split("\n").pop()); // in canonical form, the request comes last
  switch (message.type) {
    case undefined: // classic
      return chooseMoves(message.state, message.player);
    case "player-name-request":
      return {
        type: "player-name-reply",
        player_number: message.player_number,
        name: "Node Gatherer",
        version: 1,
      };
    case "move-request":
      return { type: "move-reply", moves: chooseMoves(message.state, message.player) };
  }
}

const server = http.createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts).toString();
    const reply = answer(body, request.headers["content-type"] || "");
    response.setHeader("Content-Type", "application/json");
    response.end(reply === undefined ? "" : JSON.stringify(reply));
  });
});
server.listen(Number(process.argv[2] || 8080), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});

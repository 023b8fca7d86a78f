#!/usr/bin/env node
// A bot that plays random moves, in any game that is one class. README.md says how to play it.

/** The reply to a message, or undefined: most are news about the game. */
function answer({ type, player_number, moves, state }) {
  if (type === "player-name-request") // a match begins; it may not be the first
    return { type: "player-name-reply", player_number, name: "My Bot", version: 1, keep_alive: true };
  if (type === "move-request") // `state` is what you see
    return { type: "move-reply", move: moves[Math.floor(Math.random() * moves.length)] };
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

#!/usr/bin/env node
// A bot for Star Realms that does what is offered first. README.md says how to play it.

const NAME = "My Bot";
const NEVER = ["scrap"]; // the kinds of actions that it leaves alone

/** One of the actions: cards, bases and allies first, then buys and attacks (5.1). */
function chooseAction(state, actions) {
  return actions.find(({ action }) => !NEVER.includes(action)); // the last is the end of the turn
}

/** Indices of options, `least` to `most` of them (2.5). */
function choosePicks({ kind, options, least, most }) {
  return [...Array(least).keys()];
}

/** The reply to a message, or undefined: most are news about the game. */
function answer(message) {
  switch (message.type) {
    case "player-name-request": { // a match begins; it may not be the first
      const about = { name: NAME, version: 1, keep_alive: true };
      return { type: "player-name-reply", player_number: message.player_number, ...about };
    }
    case "play-turn":
      return { type: "play-reply", actions: [chooseAction(message.state, message.actions)] };
    case "choose":
      return { type: "choose-reply", picks: choosePicks(message) };
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

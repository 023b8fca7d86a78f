#!/usr/bin/env node
// A bot for Star Realms that takes the first suitable action. README.md explains how to run it.

const NAME = "My Bot";
const NEVER = ["scrap"]; // kinds of actions that the bot never takes

/** Return one of the actions: cards, bases and allies first, then buys and attacks (5.1). */
function chooseAction(state, actions) {
  return actions.find(({ action }) => !NEVER.includes(action)); // the last is end-turn
}

/** Return `least` to `most` indices of options (2.5). */
function choosePicks({ kind, options, least, most }) {
  return [...Array(least).keys()];
}

/** Return the reply to a message, or undefined for news about the game. */
function answer(message) {
  switch (message.type) {
    case "player-name-request": { // a new match begins
      const about = { name: NAME, version: 1, keep_alive: true };
      return { type: "player-name-reply", player_number: message.player_number, ...about };
    }
    case "play-turn":
      return { type: "play-reply", actions: [chooseAction(message.state, message.actions)] };
    case "choose":
      return { type: "choose-reply", picks: choosePicks(message) };
  }
}

let text = ""; // the part after the last complete line
process.stdin.setEncoding("utf8");
process.stdin.on("data", (piece) => {
  const lines = (text + piece).split("\n");
  text = lines.pop();
  for (const line of lines) {
    const reply = answer(JSON.parse(line));
    if (reply) process.stdout.write(JSON.stringify(reply) + "\n");
  }
});

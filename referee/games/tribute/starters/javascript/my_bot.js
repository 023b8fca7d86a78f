#!/usr/bin/env node
// A bot for Scripts of Tribute that takes the first option. README.md explains how to run it.

const NAME = "My Bot";
const CARDS = {}; // id -> definition of the card: name, deck, type, cost, hp, taunt, effects (2.3)

/** Return one of the available patrons (5.1). */
function choosePatron({ available, picked }) {
  return available[0];
}

/** Return one of the actions: cards, agents, attacks, buys, patrons, end of the turn (5.2). */
function chooseAction({ state, actions }) {
  return actions[0]; // the last action is always end-turn
}

/** Return the uids of `min` to `max` cards (5.3). */
function chooseCards({ cards, min, max }) {
  return cards.slice(0, min).map(({ uid }) => uid);
}

/** Return 0 for the left effect, or 1 for the right effect (5.3). */
function chooseEffect({ effects }) {
  return 0;
}

/** Return the reply to a message, or undefined for news about the game. */
function answer(message) {
  switch (message.type) {
    case "player-name-request": { // a new match begins
      const about = { name: NAME, version: 1, keep_alive: true };
      return { type: "player-name-reply", player_number: message.player_number, ...about };
    }
    case "game-info":
      for (const row of message.card_table) CARDS[row.card] = row;
      return;
    case "patron-request":
      return { type: "patron-reply", patron: choosePatron(message) };
    case "play-turn":
      return { type: "play-reply", action: chooseAction(message) };
    case "choose-request":
      if (message.effects.length) return { type: "choose-reply", effect: chooseEffect(message) };
      return { type: "choose-reply", cards: chooseCards(message) };
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

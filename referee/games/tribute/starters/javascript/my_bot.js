#!/usr/bin/env node
// A bot for Scripts of Tribute that does what is offered first. README.md says how to play it.

const NAME = "My Bot";
const CARDS = {}; // id -> what the card is: name, deck, type, cost, hp, taunt, effects (2.3)

/** One of the patrons that are left (5.1). */
function choosePatron({ available, picked }) {
  return available[0];
}

/** One of the actions: cards, agents, attacks, buys and patrons, the end of the turn (5.2). */
function chooseAction({ state, actions }) {
  return actions[0]; // the last is always the end of the turn
}

/** The numbers of `min` to `max` of the cards (5.3). */
function chooseCards({ cards, min, max }) {
  return cards.slice(0, min).map(({ uid }) => uid);
}

/** 0: the left one of two effects; 1: the right one (5.3). */
function chooseEffect({ effects }) {
  return 0;
}

/** The reply to a message, or undefined: most are news about the game. */
function answer(message) {
  switch (message.type) {
    case "player-name-request": { // a match begins; it may not be the first
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

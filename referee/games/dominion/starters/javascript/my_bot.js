#!/usr/bin/env node
// A bot for Dominion that buys provinces, gold and silver. README.md says how to play it.

const NAME = "My Bot";
const WORTH = new Map([["copper", 1], ["silver", 2], ["gold", 3]]);
const COSTS = new Map([["province", 8], ["gold", 6], ["silver", 3]]); // what it buys, best first

let supply = new Map(); // card -> how many are left

/** The cards to buy: one at most. */
function choose(money) {
  for (const [card, cost] of COSTS) {
    if (cost <= money && supply.get(card) > 0) return [card];
  }
  return [];
}

/** Your turn: play a card, buy, or end the turn. You are asked until you end it. */
function playTurn(turn) {
  if (turn.buys === 0) return { type: "play-reply", phase: "cleanup" };
  const treasures = turn.hand.filter((card) => WORTH.has(card));
  let money = turn.extra_money;
  for (const card of treasures) money += WORTH.get(card);
  const bought = choose(money);
  return { type: "play-reply", phase: "buy", played_treasures: treasures, cards_to_buy: bought };
}

/** Another player's militia: discard `count` cards of your hand. */
function discard(options, count) {
  return { type: "attack-reply", discard: options.slice(0, count) };
}

/** The reply to a message, or undefined: most are news about the game. */
function answer(message) {
  switch (message.type) {
    case "player-name-request": { // a match begins; it may not be the first
      const about = { name: NAME, version: 1, keep_alive: true };
      return { type: "player-name-reply", player_number: message.player_number, ...about };
    }
    case "supply-info":
      supply = new Map(message.cards.map((pile) => [pile.card, pile.count]));
      return;
    case "play-turn":
      return playTurn(message);
    case "attack-request":
      return discard(message.options, message.discard);
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

#!/usr/bin/env node
// Big Money in JavaScript: a template for a bot that runs in node.
//
// Build: not necessary. It needs no packages either.
// Run:   referee play "node big_money.js" big_money
//
// It makes the same decisions as big_money.py: it buys provinces, gold and silver, never actions.

"use strict";

// We use maps, because a plain object also "has" keys such as "constructor".
const WORTH = new Map([["copper", 1], ["silver", 2], ["gold", 3]]);
const PRICES = [["province", 8], ["gold", 6], ["silver", 3]]; // cards to buy, best first

// If the bot is attacked, it discards cards with low numbers first.
// Unknown cards come between copper and silver.
const KEEP = new Map([
  ["curse", 0], ["estate", 0], ["duchy", 0], ["province", 0],
  ["copper", 1], ["silver", 3], ["gold", 4],
]);
const KEEP_OTHERS = 2;

let supply = new Map();

/** Returns the cards to buy. Each buy goes to the best card that is still affordable. */
function chooseBuys(money, buys) {
  const left = new Map(supply);
  const bought = [];
  while (bought.length < buys) {
    const best = PRICES.find(([card, cost]) => cost <= money && (left.get(card) ?? 0) > 0);
    if (best === undefined) break;
    const [card, cost] = best;
    bought.push(card);
    money -= cost;
    left.set(card, left.get(card) - 1);
  }
  return bought;
}

function playTurn(message) {
  if (message.buys <= 0) return { type: "play-reply", phase: "cleanup" };
  const treasures = message.hand.filter((card) => WORTH.has(card));
  const money = treasures.reduce((sum, card) => sum + WORTH.get(card), message.extra_money);
  return {
    type: "play-reply",
    phase: "buy",
    played_treasures: treasures,
    cards_to_buy: chooseBuys(money, message.buys),
  };
}

function attackReply(message) {
  const keep = (card) => KEEP.get(card) ?? KEEP_OTHERS;
  // Equal cards keep their order, because the sort is stable.
  const byUse = [...message.options].sort((a, b) => keep(a) - keep(b));
  return { type: "attack-reply", discard: byUse.slice(0, message.discard) };
}

/** Handles one message. Returns the reply, or undefined if the message needs none. */
function handle(message) {
  switch (message.type) {
    case "player-name-request":
      return {
        type: "player-name-reply",
        player_number: message.player_number,
        name: "Big Money (JavaScript)",
        version: 1,
        keep_alive: true,
      };
    case "supply-info":
      supply = new Map(message.cards.map(({ card, count }) => [card, count]));
      return undefined;
    case "play-turn":
      return playTurn(message);
    case "attack-request":
      return attackReply(message);
    default:
      return undefined; // news, or a type that is newer than this bot
  }
}

function handleLine(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return; // not JSON, so it is not from the referee
  }
  if (message === null || typeof message !== "object") return;
  const reply = handle(message);
  if (reply !== undefined) process.stdout.write(JSON.stringify(reply) + "\n");
}

// We split lines ourselves, because node's readline also splits at U+2028, which can be in a name.
let parts = []; // the start of a line that is not complete yet
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = chunk.split("\n");
  while (lines.length > 1) {
    parts.push(lines.shift());
    const line = parts.join("");
    parts = [];
    handleLine(line);
  }
  parts.push(lines[0]);
});
process.stdin.on("error", () => process.exit(0));
process.stdout.on("error", () => process.exit(0)); // the referee is gone, so exit silently

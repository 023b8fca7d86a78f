// My first Dominion bot: buys the best card it can afford.
const readline = require("readline");

const WORTH = { copper: 1, silver: 2, gold: 3 };
const COSTS = { province: 8, gold: 6, mine: 5, silver: 3 };

const supply = {};
let me = "";
let mines = 0;

function send(reply) {
  console.log(JSON.stringify(reply));
}

function chooseCards(money, buys) {
  const cards = [];
  while (buys > 0) {
    let best = null;
    for (const card in COSTS) {
      const chosen = cards.filter((other) => other === card).length;
      // one mine is enough
      if (card === "mine" && mines + chosen > 0) continue;
      if (COSTS[card] <= money && supply[card] - chosen > 0) {
        best = card;
        break;
      }
    }
    if (best === null) break;
    cards.push(best);
    money -= COSTS[best];
    buys -= 1;
  }
  return cards;
}

function playTurn(message) {
  const hand = message.hand;
  // a mine makes silver out of copper
  if (message.actions > 0 && hand.includes("mine") && hand.includes("copper") && supply.silver > 0) {
    send({
      type: "play-reply",
      phase: "action",
      card: "mine",
      additional_parameters: { card_to_trash: "copper", desired_card: "silver" },
    });
    return;
  }
  if (message.buys === 0) {
    // nothing left to buy
    const reply = { type: "play-reply", phase: "cleanup" };
    if (message.cards_played.length > 0) {
      reply.top_discard = message.cards_played[0];
    }
    send(reply);
    return;
  }
  const treasures = hand.filter((card) => card in WORTH);
  let money = message.extra_money;
  for (const card of treasures) {
    money += WORTH[card];
  }
  send({
    type: "play-reply",
    phase: "buy",
    played_treasures: treasures,
    cards_to_buy: chooseCards(money, message.buys),
  });
}

function attacked(message) {
  // throw away the useless cards first
  const order = ["curse", "estate", "duchy", "province", "copper", "silver", "gold"];
  const use = (card) => (order.includes(card) ? order.indexOf(card) : 5);
  const cards = [...message.options].sort((a, b) => use(a) - use(b));
  send({ type: "attack-reply", discard: cards.slice(0, message.discard) });
}

const rl = readline.createInterface({ input: process.stdin });

rl.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "player-name-request") {
    me = message.player_number;
    send({
      type: "player-name-reply",
      player_number: me,
      name: "My Bot",
      version: 1,
    });
  } else if (message.type === "supply-info") {
    for (const pile of message.cards) {
      supply[pile.card] = pile.count;
    }
  } else if (message.type === "player-gained") {
    if (message.player_number === me && message.gained === "mine") {
      mines += 1;
    }
  } else if (message.type === "play-turn") {
    playTurn(message);
  } else if (message.type === "attack-request") {
    attacked(message);
  }
});

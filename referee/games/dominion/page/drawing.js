// The table of Dominion: the other seats, the supply, what is going on, and the own seat at the bottom. Names, costs and
// effects of cards come from Python (`header.facts`), and so do the legal choices.

/** The zones of the table. The style sheet arranges them. */
export function zones(header, isSeat) {
  return [
    { name: "others", label: "Other seats", share: header.seats.length - 1 },
    { name: "supply", label: "Supply", share: 4 },
    { name: "now", label: "What happens now", share: 4 },
    { name: "own", label: "The seat below", share: 2 },
    ...(isSeat ? [{ name: "buttons", label: "Answers", share: 1 }] : []),
  ];
}

/** Draw into the boxes of the zones. See tools/javascript/page-data.md for the interface. */
export function mount(boxes, header, kit) {
  const { el, fill, tally } = kit;
  const { cards: facts, supply } = header.facts;
  const order = new Map([...supply].reverse().flat().map((card, place) => [card, place])); // cards that can be played come first
  const once = kit.keeper();
  const stage = new kit.Stage(boxes.now, kit.seat);
  const table = boxes.now.parentElement;
  const asking = new kit.Asking(table, () => paint());
  const groups = supply.map((_, place) => el("div", { class: `piles piles-${place}` }));
  let frame = null; // the frame that is drawn
  table.style.setProperty("--others", header.seats.length - 1);
  boxes.supply.append(...groups);
  boxes.supply.dataset.place = "supply";

  // --- cards -----------------------------------------------------------------------------------

  const factOf = (card) => facts[card] ?? { kind: "none", text: "" };
  const counted = (list) => tally([...list].sort((one, other) => order.get(one) - order.get(other)));

  /** The effects of a card in short. Treasures and points get a large symbol. */
  const briefOf = (card) => kit.signed(factOf(card).brief);

  function held(card, times, asked) {
    const { kind, text } = factOf(card);
    return kit.tile({ card, times, kind, sign: kind, text, brief: briefOf(card), ...asked });
  }

  function pile(card, index) {
    const left = frame.view.supply[card];
    const was = frame.before?.supply?.[card] ?? left;
    const { cost, kind, text } = facts[card];
    const { notes = [], ...asked } = index === undefined ? {} : asking.card(index);
    if (was !== left) notes.push(left < was ? `−${was - left}` : `+${left - was}`);
    const state = (was !== left ? "changed" : "") + (left === 0 ? " empty" : left < 4 ? " low" : "");
    return kit.tile({ card, cost, left: left ?? null, kind, sign: kind, text, brief: briefOf(card), state, notes, ...asked });
  }

  function chips(counts) {
    return el("ul", { class: "chips-of" }, counts.map(([card, number]) => el("li", { class: `chip-of kind-${factOf(card).kind}` }, number > 1 ? `${card} ${number}` : card)));
  }

  // --- the zones -------------------------------------------------------------------------------

  function paintSupply(piles) {
    supply.forEach((group, place) => fill(groups[place], group.filter((card) => card in frame.view.supply).map((card) => {
      if (piles) return pile(card, piles.get(card));
      return once(`pile ${card}`, [frame.view.supply[card], frame.before?.supply?.[card]], () => pile(card));
    })));
  }

  function paintNow() {
    const { view, mover, ended } = frame;
    const attacked = view.request?.type === "attack-request";
    const otherwise = ended ? "The match is over." : attacked ? "has to discard" : mover === null ? "" : "has the turn";
    const said = attacked && boxes.buttons ? [] : frame.said; // a seat learns only later what was played
    stage.paint({ ...frame, said, mover: attacked ? view.asked : mover }, otherwise, (card, times) => held(card, times));
    const most = Math.max(...view.seats.map(({ score }) => score));
    fill(stage.more, view.seats.map((seen, seat) => once(`owns ${seat}`, [seen.cards, ended && most], () => {
      const owns = Object.entries(seen.cards).sort(([one], [other]) => order.get(other) - order.get(one));
      const points = owns.map(([card, number]) => [`${number} ${card}`, number * factOf(card).points, factOf(card).kind]);
      return el("div", { class: "owns" }, kit.tag(kit.seat(seat)), ended ? kit.pointsOf(points, most) : chips(owns));
    })));
  }

  /** True if the selected viewer sees the hand of a seat. */
  const seesHand = (seat) => ["all", String(seat)].includes(frame.eyes) || frame.view.asked === seat;

  function lineOf(seat, hand) {
    const { view, mover, marks } = frame;
    const { own, cards: owned } = view.seats[seat];
    const total = Object.values(owned).reduce((sum, number) => sum + number, 0);
    const piles = own ? [["deck", own.deck.length, `${seat} deck`], ["discard", own.discard_pile.length, `${seat} discard`]] : [["cards", total, `${seat} deck`]];
    return kit.seatLine(kit.seat(seat), { isNow: mover === seat, piles, marks, inside: hand });
  }

  /** While the others play, a person sees the hand that comes with the next question. */
  function ownOf(seat) {
    const { own } = frame.view.seats[seat];
    const later = seat === frame.low && frame.mover !== seat && !own?.hand.length && frame.later?.seats[seat].own;
    return later ? { ...own, hand: later.hand } : own;
  }

  function handOf(seat, { large = false, choices = [] }) {
    const own = ownOf(seat);
    const place = { "data-place": `${seat} hand` };
    if (!own) return el("div", { class: "hand" });
    if (!seesHand(seat)) {
      const hidden = own.hand.length || "";
      return el("div", { class: "hand backs", "aria-label": `${hidden} cards in hand`, role: "img", ...place }, own.hand.map(() => el("i")));
    }
    if (!large) return el("div", { class: "hand", ...place }, chips(counted(own.hand)));
    const open = choices.map(({ name, index }) => {
      const alone = choices.filter((other) => other.name === name).length === 1;
      return held(name, alone ? counted(own.hand).find(([card]) => card === name)?.[1] ?? 1 : 1, asking.card(index));
    });
    const rest = counted(own.hand).filter(([card]) => !choices.some(({ name }) => name === card));
    return el("div", { class: "hand large", ...place }, open, rest.map(([card, number]) => held(card, number)));
  }

  function paintSeats(inHand) {
    const { view, low, mover, marks, eyes } = frame;
    const others = view.seats.map((seen, seat) => seat !== low && once(`seat ${seat}`, [seen, mover === seat, marks, eyes, view.asked === seat], () => lineOf(seat, handOf(seat, {})))).filter(Boolean);
    fill(boxes.others, others);
    const key = inHand ? Math.random() : [view.seats[low], ownOf(low)?.hand, low, mover === low, marks, eyes];
    fill(boxes.own, [once("low", key, () => lineOf(low, handOf(low, { large: true, choices: inHand })))]);
  }

  // --- a question ------------------------------------------------------------------------------

  function buttons() {
    const { question } = asking;
    if (!question) return [];
    const inside = question.choices.flatMap((choice, index) => {
      if (!choice.key && facts[choice.name]) return [];
      const why = choice.barred ? ` (${choice.barred})` : "";
      return [asking.button(index, { class: "button text", "aria-disabled": choice.barred ? "true" : null }, asking.doing(index) + why)];
    });
    return [...inside, ...asking.ends()];
  }

  /** The choices that are cards. They are in the supply if every one of them is a pile, and in a hand otherwise. */
  function choicesOnTable() {
    if (!asking.question) return {};
    const those = asking.question.choices.map((choice, index) => ({ ...choice, index })).filter((choice) => !choice.key && facts[choice.name]);
    const piles = new Map(those.map(({ name, index }) => [name, index]));
    return piles.size === order.size ? { piles } : { inHand: those };
  }

  function paint() {
    const { piles, inHand } = choicesOnTable();
    asking.keepFocus(() => {
      paintSupply(piles);
      paintNow();
      paintSeats(inHand);
      if (boxes.buttons) fill(boxes.buttons, buttons());
    });
  }

  // --- the Cards panel -------------------------------------------------------------------------

  function allCards(box) {
    const inOrder = (list) => list.map((card) => [card, 1]);
    const seats = frame.view.seats.map((seen, seat) => once(`cards ${seat}`, [seen, frame.eyes], () => {
      const { own } = seen;
      const isOpen = own && seesHand(seat);
      const zones = own
        ? [["In play", inOrder(own.in_play)], ["Hand", isOpen && counted(own.hand)], [isOpen ? "Deck, top first" : "Deck and hand", frame.eyes === "all" ? inOrder(own.deck) : counted(own.deck)], ["Discarded", inOrder(own.discard_pile)]]
        : [["Owns", Object.entries(seen.cards)]];
      return el("details", { open: true }, el("summary", null, kit.tag(kit.seat(seat))), el("dl", null, zones.filter(([, list]) => list).map(([name, list]) => [el("dt", null, name), el("dd", null, list.length ? chips(list) : "none")])));
    }));
    fill(box, [...seats, once("help", 0, () => el(
      "details", null, el("summary", null, "What the cards do"),
      el("dl", null, supply.flat().map((card) => [el("dt", null, `${card} (${facts[card].kind}, costs ${facts[card].cost})`), el("dd", null, facts[card].text)])),
    ))]);
  }

  const kinds = ["action", "treasure", "victory", "curse"].map((kind) => [el("span", { class: `chip-of kind-${kind}` }, " "), kind]);
  const legend = [[el("span", { class: "cost" }, 5), "costs 5 money"], ...[["coin", "money"], ["card", "cards drawn"], ["bolt", "actions"], ["bag", "buys"], ["star", "points"]].map(([name, words]) => [kit.sign(name, 1), words]), ...kinds];

  return {
    legend,
    draw(shown) {
      frame = shown;
      paint();
    },
    cards: allCards,
    ask: (...asked) => asking.ask(...asked),
    picked: () => asking.picked(),
  };
}

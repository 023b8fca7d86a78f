// The table of Scripts of Tribute: the opponent, the patrons, the tavern row, what is going on, and the own side at the
// bottom. Names, costs and effects of cards and patrons come from Python (`header.facts`), and so do the legal choices.

const SAID = ["activate-agent", "attack", "call-patron"]; // actions whose verb is shown on the card

/** The zones of the table. The style sheet arranges them. */
export function zones(header, isSeat) {
  return [
    { name: "others", label: "The other player", share: 2 },
    { name: "patrons", label: "Patrons", share: 1 },
    { name: "row", label: "Tavern row", share: 2 },
    { name: "now", label: "What happens now", share: 4 },
    { name: "own", label: "The player below", share: 3 },
    ...(isSeat ? [{ name: "buttons", label: "Answers", share: 1 }] : []),
  ];
}

/** Draw into the boxes of the zones. See tools/javascript/page-data.md for the interface. */
export function mount(boxes, header, kit) {
  const { el, fill, tally } = kit;
  const { cards, patrons, asks } = header.facts;
  const once = kit.keeper();
  const stage = new kit.Stage(boxes.now, kit.seat);
  const table = boxes.now.parentElement;
  const asking = new kit.Asking(table, () => paint());
  let frame = null; // the frame that is drawn
  let actions = new Map(); // uid or patron -> [index of the choice, true if the card shows its verb]
  boxes.row.dataset.place = "row";

  // --- cards and patrons -----------------------------------------------------------------------

  const factOf = (card) => cards[card] ?? { name: card, deck: "", type: "", text: "" };
  const nameOf = (card) => factOf(card).name;
  const patronOf = (patron) => patrons[patron] ?? { name: patron, text: "" };

  /** The CSS kind of a deck, which depends on its patron's position. */
  const kindOf = (deck) => `deck${Object.keys(frame.view.favours).indexOf(deck)}`;

  /** Return what makes a card or patron the button of a choice. Empty if it has no choice. */
  function doing(thing) {
    if (!asking.question || !actions.has(thing)) return {};
    const [index, isSaid] = actions.get(thing);
    return asking.card(index, isSaid && asking.verb(index));
  }

  /** The arguments of `kit.tile` for a card.
   *  @param {string} card
   *  @param {{times?: number, hp?: number, notes?: any[], [field: string]: any}} [shown] */
  function about(card, { times = 1, hp, notes = [], ...more } = {}) {
    const fact = factOf(card);
    const health = hp ? `${hp} of ${fact.hp} HP` : fact.hp ? `${fact.hp} HP` : "";
    return {
      card, name: fact.name, times, cost: fact.cost, kind: kindOf(fact.deck), brief: kit.signed(fact.brief),
      sign: [patronOf(fact.deck).name, " ", fact.type, " ", health, fact.taunt && " taunt"],
      text: `${patronOf(fact.deck).name} ${fact.type}${health && `, ${health}`}. ${fact.text}`, notes, ...more,
    };
  }

  /** Create a tile, or reuse it if it has not changed. A tile with a button is always created again. */
  function tile(place, card, more, thing) {
    const { notes = [], ...asked } = doing(thing);
    const all = { ...more, notes: [...(more?.notes ?? []), ...notes] };
    return asked.choose ? kit.tile({ ...about(card, all), ...asked }) : once(place, [card, all, kindOf(factOf(card).deck)], () => kit.tile(about(card, all)));
  }

  function chips(list) {
    return el("ul", { class: "chips-of" }, tally(list.map(({ card }) => card)).map(([card, number]) => (
      el("li", { class: `chip-of ${`kind-${kindOf(factOf(card).deck)}`}` }, nameOf(card) + (number > 1 ? ` ${number}` : ""))
    )));
  }

  // --- the zones -------------------------------------------------------------------------------

  function findActions() {
    const found = (frame.view.request?.actions ?? []).filter(({ card, patron }) => (card ?? patron) !== undefined);
    actions = new Map(found.map(({ type, card, patron }, index) => [card ?? patron, [index, SAID.includes(type)]]));
  }

  /** While the others play, a person sees the hand that comes with the next question. */
  const knownHand = (seat) => frame.view.seats[seat].hand ?? (seat === frame.low && frame.later?.seats[seat].hand);

  function lineOf(seat) {
    const { view, mover, marks, low } = frame;
    const seen = view.seats[seat];
    const due = seat === view.player ? [] : view.start_of_next_turn;
    const piles = [["prestige of 40", seen.prestige, `${seat} prestige`], ["draw", seen.hand_and_draw.length - seen.hand_size, `${seat} draw-pile`], ["cooldown", seen.cooldown.length, `${seat} cooldown`]];
    const agents = seen.agents.map(({ uid, card, hp, activated }) => tile(`agent ${uid}`, card, { hp, cost: undefined, notes: activated ? ["activated"] : [] }, uid));
    const place = { "data-place": `${seat} hand` };
    const own = knownHand(seat);
    const hand = !own
      ? el("div", { class: "hand backs", role: "img", "aria-label": `${seen.hand_size} cards in hand`, ...place }, Array.from({ length: seen.hand_size }, () => el("i")))
      : seat !== low
        ? el("div", { class: "hand", ...place }, chips(own))
        : el("div", { class: "hand large", ...place }, tally(own.map(({ card }) => card)).map(([card, times]) => tile(`hand ${card}`, card, { times, cost: undefined }, own.find((one) => one.card === card).uid)));
    const told = due.length > 0 && el("span", { class: "dim" }, `has to discard for ${due.map(({ source }) => nameOf(source.card)).join(", ")}`);
    const inside = el("div", { class: "both" }, el("div", { class: "bases", "data-place": `${seat} agents` }, agents), told, hand);
    return kit.seatLine(kit.seat(seat), { isNow: mover === seat, piles, marks, inside });
  }

  function paintSeats() {
    const { view, low, mover, marks } = frame;
    const lines = view.seats.map((seen, seat) => once(`line ${seat}`, asking.question ? Math.random() : [seen, knownHand(seat), mover === seat, marks, low, view.start_of_next_turn], () => lineOf(seat)));
    fill(boxes.others, lines.filter((_, seat) => seat !== low));
    fill(boxes.own, [lines[low]]);
  }

  function paintPatrons() {
    const { view, before } = frame;
    const atTable = Object.keys(view.favours);
    fill(boxes.patrons, (atTable.length ? atTable : view.picked).map((patron) => {
      const seat = header.seats.findIndex(({ id }) => id === view.favours[patron]);
      const { name, text, brief, favours } = patronOf(patron);
      const moved = before && patron in before.favours && before.favours[patron] !== view.favours[patron];
      const { notes = [], ...asked } = doing(patron);
      const favour = favours && atTable.length > 0 && (seat < 0 ? "neutral" : `${kit.seat(seat).glyph} favours ${kit.seat(seat).name}`);
      const node = () => kit.tile({ card: patron, name, kind: kindOf(patron), brief: favour || "", sign: kit.signed(brief), text, notes, state: moved ? "changed" : "", ...asked });
      return asked.choose ? node() : once(`patron ${patron}`, [seat, moved, kindOf(patron)], node);
    }));
  }

  function paintRow() {
    const { view, before } = frame;
    const old = new Set((before?.row ?? []).map(({ uid }) => uid));
    fill(boxes.row, view.row.map(({ uid, card }, place) => {
      const isNew = old.size > 0 && !old.has(uid);
      return tile(`row ${place}`, card, { state: isNew ? "changed" : "", notes: isNew ? ["new"] : [] }, uid);
    }));
  }

  function paintNow() {
    const { view, mover, ended } = frame;
    const { request } = view;
    const { question } = asking;
    const asked = request?.type === "choose-request" && `${request.source.card ? nameOf(request.source.card) : patronOf(request.source.patron).name}: ${asks[request.follow_up]}`;
    const otherwise = ended ? "The match is over." : mover === null ? "" : view.turn ? "has the turn" : "picks a patron";
    stage.paint(frame, otherwise, (card, times) => kit.tile(about(card, { times, cost: undefined })), question && !request?.actions ? offered(request) : undefined);
    const coming = request?.upcoming?.length > 0 && `Still to come: effects of ${request.upcoming.map(({ source }) => nameOf(source.card)).join(", ")}`;
    fill(stage.more, ended ? sources() : [!question && asked, coming].filter(Boolean).map((text) => el("p", null, text)));
  }

  /** In which turns the players got their prestige: the best of them, and the others together. */
  function sources() {
    const { turns, view: { seats } } = frame;
    const most = Math.max(...seats.map(({ prestige }) => prestige));
    const known = [...turns.values()].filter(({ scores }) => scores);
    const lines = seats.map((_, seat) => {
      const best = known.map(({ turn, scores }, at) => [turn, scores[seat] - (known[at - 1]?.scores[seat] ?? 0)]).sort(([, one], [, other]) => other - one);
      const rest = best.splice(3).reduce((sum, [, gain]) => sum + gain, 0);
      return el("div", { class: "owns" }, kit.tag(kit.seat(seat)), kit.pointsOf([...best.map(([turn, gain]) => [`turn ${turn}:`, gain]), ["others:", rest]], most));
    });
    return [...lines, el("p", { class: "dim" }, "Power that is left at the end of a turn becomes prestige.")];
  }

  /** Create what can be chosen: patrons, cards, or the two effects of a card. */
  function offered(request) {
    return asking.question.choices.flatMap((choice, index) => {
      if (choice.key) return [];
      const asked = asking.card(index);
      const patron = request?.available?.[index];
      if (patron) return [kit.tile({ card: patron, name: patronOf(patron).name, brief: kit.signed(patronOf(patron).brief), text: patronOf(patron).text, ...asked })];
      const card = !request?.effects?.length && request?.cards?.[index];
      if (card) return [kit.tile({ ...about(card.card), ...asked })];
      return [kit.tile({ card: choice.name, brief: choice.cells.join(", "), ...asked })];
    });
  }

  function buttons() {
    const { question } = asking;
    if (!question) return [];
    const rest = question.choices.flatMap(({ key }, index) => (key ? [asking.button(index, { class: "button text" }, asking.doing(index))] : []));
    return [...rest, ...asking.ends()];
  }

  function paint() {
    asking.keepFocus(() => {
      findActions();
      paintSeats();
      paintPatrons();
      paintRow();
      paintNow();
      if (boxes.buttons) fill(boxes.buttons, buttons());
    });
  }

  function allCards(box) {
    const { view } = frame;
    const listed = (owner, title, piles) => once(`cards ${owner}`, piles, () => (
      el("details", { open: true }, el("summary", null, title), el("dl", null, piles.map(([name, list]) => [el("dt", null, `${name} ${list.length}`), el("dd", null, list.length ? chips(list) : "none")])))
    ));
    const seats = view.seats.map((seen, seat) => {
      const piles = seen.hand ? [["Draw pile", seen.draw_pile], ["Its known top", seen.known]] : [["Hand and draw pile", seen.hand_and_draw]];
      return listed(seat, kit.tag(kit.seat(seat)), [...piles, ["Cooldown pile", seen.cooldown], ["Played", seen.played]]);
    });
    fill(box, [...seats, listed("tavern", "Tavern", [["Tavern deck", view.tavern_deck]])]);
  }

  const legend = [
    [el("span", { class: "cost" }, 3), "costs 3 coins"],
    ...[["coin", "coins"], ["sword", "power"], ["star", "prestige"], ["card", "cards drawn"], ["bin", "cards destroyed"], ["shield", "health of an agent"]].map(([name, words]) => [kit.sign(name, 1), words]),
  ];

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

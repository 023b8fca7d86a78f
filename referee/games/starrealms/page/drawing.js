// The table of Star Realms: the opponent, the trade row, what is going on, and the own side at the bottom. Facts about
// cards come from Python (`header.facts`), and so do the legal choices.

/** The zones of the table. The style sheet arranges them. */
export function zones(header, isSeat) {
  return [
    { name: "others", label: "The other player", share: 2 },
    { name: "row", label: "Trade row", share: 2 },
    { name: "now", label: "What happens now", share: 4 },
    { name: "own", label: "The player below", share: 3 },
    ...(isSeat ? [{ name: "buttons", label: "Answers", share: 1 }] : []),
  ];
}

/** Draw into the boxes of the zones. See tools/javascript/page-data.md for the interface. */
export function mount(boxes, header, kit) {
  const { el, fill, tally } = kit;
  const { cards, factions, pile } = header.facts;
  const once = kit.keeper();
  const stage = new kit.Stage(boxes.now, kit.seat);
  const table = boxes.now.parentElement;
  const asking = new kit.Asking(table, () => paint());
  let frame = null; // the frame that is drawn
  const row = el("div", { class: "row-of", "data-place": "trade-row" });
  const title = el("h2", { class: "dim" });
  boxes.row.append(title, row);

  // --- cards -----------------------------------------------------------------------------------

  const factOf = (card) => cards[card] ?? { faction: "", type: "", text: "" };
  const nameOf = (faction) => factions[faction] ?? faction;

  /** Create a card. `actions` are indices of choices that use it, and `verbs` is true if the card shows what they do.
   *  @param {string} card
   *  @param {{times?: number, notes?: any[], actions?: number[], verbs?: boolean, cost?: number, brief?: any}} [shown] */
  function tile(card, { times = 1, notes = [], actions = [], verbs = false, ...more } = {}) {
    const { faction, type, defense, cost, text, brief } = factOf(card);
    const sign = [el("b", { class: "badge-of" }, nameOf(faction).slice(0, 1)), ` ${type}${defense ? ` ${defense}` : ""}`];
    const about = { card, times, cost, kind: faction, sign, text: `${nameOf(faction)} ${type}. ${text}`, brief: kit.signed(brief), ...more };
    if (actions.length === 1) {
      const [index] = actions;
      const { notes: words, ...asked } = asking.card(index, verbs && asking.verb(index));
      return kit.tile({ ...about, ...asked, notes: [...notes, ...words] });
    }
    if (!actions.length) return kit.tile({ ...about, notes });
    return el("div", { class: "acts" }, kit.tile({ ...about, notes }), actions.map((index) => asking.button(index, { class: "button", "aria-label": asking.doing(index) }, asking.verb(index))));
  }

  /** Create a tile, or reuse it if it has not changed. Tiles with buttons are always created again. */
  const held = (place, card, more) => (more.actions?.length ? tile(card, more) : once(place, [card, more], () => tile(card, more)));

  function chips(list) {
    return el("ul", { class: "chips-of" }, tally(list).map(([card, number]) => {
      const { faction } = factOf(card);
      return el("li", { class: `chip-of kind-${faction}` }, el("b", { class: "badge-of", "aria-hidden": "true" }, nameOf(faction).slice(0, 1)), number > 1 ? ` ${card} ${number}` : ` ${card}`);
    }));
  }

  // --- actions ---------------------------------------------------------------------------------

  /** Hands out the choices of a question, so that each one appears at exactly one place on the table. */
  class Choices {
    constructor() {
      this.left = new Map();
      const { actions } = frame.view.request ?? {};
      if (asking.question && actions) asking.question.choices.forEach((choice, index) => this.left.set(index, choice.key ? {} : actions[index] ?? {}));
    }

    /** Take the choices that do one of these things to a card. Returns their indices. */
    take(does, card) {
      const found = [...this.left].flatMap(([index, action]) => (does.includes(action.action) && action.card === card ? [index] : []));
      found.forEach((index) => this.left.delete(index));
      return found;
    }
  }

  // --- the zones -------------------------------------------------------------------------------

  /** Group equal cards in play. */
  function pieces(seen, choices, does, fits = (_) => true) {
    const groups = new Map();
    for (const piece of seen.in_play.filter(({ card }) => fits(factOf(card)))) {
      const key = JSON.stringify(piece);
      groups.set(key, { piece, times: (groups.get(key)?.times ?? 0) + 1 });
    }
    return [...groups].map(([key, { piece: { card, used, ally_used: ally }, times }]) => {
      const fitting = does.filter((what) => (what !== "use-base" || !used) && (what !== "use-ally" || !ally));
      return held(`piece ${does} ${key}`, card, { times, verbs: true, actions: choices.take(fitting, card) });
    });
  }

  const isBase = ({ defense }) => defense > 0;

  function lineOf(seat, choices, hand) {
    const { view, mover, marks } = frame;
    const seen = view.seats[seat];
    const piles = [["authority", seen.authority, `${seat} authority`], ["deck", seen.deck_size, `${seat} deck`], ["discard", seen.discard.length, `${seat} discard`]];
    const due = seen.due > 0 && el("span", { class: "dim" }, `${seen.due} to discard`);
    const isAsked = asking.question && seat === view.player;
    const bases = isAsked ? [] : pieces(seen, choices, ["attack-base"], isBase);
    const inside = el("div", { class: "both" }, el("div", { class: "bases", "data-place": `${seat} play` }, bases), due, hand);
    return kit.seatLine(kit.seat(seat), { isNow: mover === seat, piles, marks, inside });
  }

  /** While the others play, a person sees the hand that comes with the next question. */
  const knownHand = (seat) => frame.view.seats[seat].hand ?? (seat === frame.low && frame.later?.seats[seat].hand);

  function handOf(seat, choices) {
    const { hand_size: size } = frame.view.seats[seat];
    const hand = knownHand(seat);
    const place = { "data-place": `${seat} hand` };
    if (!hand) return el("div", { class: "hand backs", role: "img", "aria-label": `${size} cards in hand`, ...place }, Array.from({ length: size }, () => el("i")));
    if (seat !== frame.low) return el("div", { class: "hand", ...place }, chips(hand));
    return el("div", { class: "hand large", ...place }, tally(hand).map(([card, times]) => tile(card, { times, cost: undefined, actions: choices.take(["play"], card) })));
  }

  function paintSeats(choices) {
    const { view, low, mover, marks } = frame;
    const lines = view.seats.map((seen, seat) => {
      const key = asking.question ? Math.random() : [seen, knownHand(seat), mover === seat, marks, low];
      return once(`line ${seat}`, key, () => lineOf(seat, choices, handOf(seat, choices)));
    });
    fill(boxes.others, lines.filter((_, seat) => seat !== low));
    fill(boxes.own, [lines[low]]);
  }

  function paintRow(choices) {
    const { view, before } = frame;
    const old = [...(before?.trade_row ?? view.trade_row)];
    const names = new Set([...view.trade_row, pile]); // equal cards share a choice
    const buys = new Map([...names].map((card) => [card, choices.take(["buy"], card)]));
    const list = view.trade_row.map((card, place) => {
      const at = old.indexOf(card);
      if (at >= 0) old.splice(at, 1);
      const state = at < 0 ? "changed" : "";
      return held(`row ${place}`, card, { state, notes: state ? ["new"] : [], actions: buys.get(card) });
    });
    const explorers = held("pile", pile, { left: view.explorers, actions: buys.get(pile) });
    title.textContent = `Trade row, ${view.trade_deck} more in the deck`;
    fill(row, [...list, explorers]);
  }

  function paintNow(choices) {
    const { view, mover, ended } = frame;
    const { question } = asking;
    const otherwise = ended ? "The match is over." : mover === null ? "The match begins." : "has the turn";
    const options = question && !view.request?.actions;
    const offer = options ? offered() : question ? pieces(view.seats[view.player], choices, ["use-base", "use-ally", "scrap"]) : undefined;
    stage.paint(frame, otherwise, (card, times) => tile(card, { times, cost: undefined }), offer);
    const notes = [view.next_ship_to_top && "The next ship bought may go on top of the deck.", view.copied && `A ship is copied: ${view.copied}.`].filter(Boolean);
    fill(stage.more, notes.map((note) => el("p", null, note)));
  }

  /** Create the options of a choice, as cards or as effects. */
  function offered() {
    return asking.question.choices.map((choice, index) => {
      const card = frame.view.request?.options?.[index]?.card;
      const { notes, ...asked } = asking.card(index);
      if (card) return tile(card, { cost: undefined, ...asked, notes: notes.length ? notes : [choice.cells[0].split(";")[0]] });
      return kit.tile({ card: choice.name, brief: choice.cells.join(", "), notes, ...asked });
    });
  }

  function buttons(choices) {
    if (!asking.question) return [];
    const rest = [...choices.left.keys()].map((index) => { // choices without a place on the table
      const { cells } = asking.question.choices[index];
      return asking.button(index, { class: "button text" }, asking.doing(index) + (cells[0]?.length < 14 ? ` (${cells.join(", ")})` : ""));
    });
    return [...rest, ...asking.ends()];
  }

  function paint() {
    asking.keepFocus(() => {
      const choices = new Choices();
      paintRow(choices);
      paintNow(choices);
      paintSeats(choices);
      if (boxes.buttons) fill(boxes.buttons, buttons(choices));
    });
  }

  function allCards(box) {
    fill(box, frame.view.seats.map((seen, seat) => once(`cards ${seat}`, seen, () => {
      const piles = seen.hand ? [["Hand", seen.hand], ["Deck", seen.deck]] : [["Hand and deck", seen.hidden]];
      piles.push(["In play", seen.in_play.map(({ card }) => card)], ["Discarded", seen.discard]);
      return el("details", { open: true }, el("summary", null, kit.tag(kit.seat(seat))), el("dl", null, piles.map(([name, list]) => [el("dt", null, `${name} ${list.length}`), el("dd", null, list.length ? chips(list) : "none")])));
    })));
  }

  const legend = [
    [el("span", { class: "cost" }, 3), "costs 3 trade"],
    ...[["coin", "trade"], ["sword", "combat"], ["shield", "authority"], ["card", "cards drawn"]].map(([name, words]) => [kit.sign(name, 1), words]),
    ...Object.entries(factions).map(([faction, name]) => [el("span", { class: `chip-of kind-${faction}` }, name[0]), name]),
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

// The table of Star Realms: both players with their bases, the trade row, and the player whose turn
// it is with what it has played and holds. What cards are and do comes from Python
// (`header.facts`), as all legality does.

const WORDS = { // action -> what stands on its button
  play: "Play", "use-base": "Use", "use-ally": "Ally", scrap: "Scrap", buy: "Buy",
  "attack-base": "Attack",
};
const SIGNS = [[/(\d+) trade/g, "coin"], [/(\d+) combat/g, "sword"], [/(\d+) authority/g, "shield"], [/draw (\d+)/g, "card"]];

/** Draws into root; see the interface of a drawing. */
export function mount(root, header, kit) {
  const { el, fill, tally, listed } = kit;
  const { cards, factions, pile } = header.facts;
  const names = header.seats.map((_, seat) => kit.seat(seat).name);
  const table = el("div", { class: "sr" });
  const parts = { seats: section("seats"), row: section("row"), active: section("active"), buttons: section("buttons"), piles: section("piles") };
  let shown = null; // what was drawn last: view, before, more
  const asking = new kit.Asking(table, () => paint());
  const once = kit.keeper();
  root.append(table);

  function section(name) {
    return el("section", { class: `sr-${name}`, "data-zone": name });
  }

  // --- a card ----------------------------------------------------------------------------------

  function factOf(card) {
    return cards[card] || { faction: "", type: "", text: "" };
  }

  /** A card as a tile. `notes` stand below its name, `buttons` at its end; `state` is a class. */
  function tile(card, { times = 1, notes = [], buttons = [], state = "" } = {}) {
    const fact = factOf(card);
    const faction = factions[fact.faction] || fact.faction;
    const type = fact.defense ? `${fact.type} ${fact.defense}` : fact.type;
    const many = times > 1 ? `×${times}` : "";
    const label = [card, many, faction, type, `costs ${fact.cost}`, ...notes, fact.text];
    return el(
      "li",
      { class: `sr-card sr-${fact.faction} ${state}${buttons.length === 1 ? " sr-can" : ""}`, "data-card": card, "data-count": times },
      el(
        "div",
        { class: "sr-face", role: "img", "aria-label": label.filter(Boolean).join(", ") },
        el("span", { class: "sr-cost" }, String(fact.cost ?? "")),
        el("span", { class: "sr-name" }, card, many && el("b", {}, ` ${many}`)),
        el("span", { class: "sr-type" }, el("span", { class: "sr-badge" }, faction.slice(0, 1)), type),
        el("span", { class: "sr-text" }, kit.signed(fact.text, SIGNS)),
        notes.length > 0 && el("span", { class: "sr-note" }, notes.join(", ")),
      ),
      buttons.length > 1 ? el("div", { class: "sr-both" }, buttons) : buttons,
    );
  }

  function tiles(place, list, nothing) {
    const box = once(`tiles ${place}`, 0, () => el("ul", { class: "sr-cards" }));
    fill(box, list);
    return list.length ? box : once(`none ${place}`, nothing, () => el("p", { class: "sr-told" }, nothing));
  }

  function zone(name, list, nothing) {
    const box = once(`zone ${name}`, 0, () => el("div", { class: "sr-zone" }, el("h3", {}, name)));
    fill(box, [box.firstChild, tiles(name, list, nothing)]);
    return box;
  }

  /** Cards as a line of small labels. */
  function chips(list) {
    if (!list.length) {
      return "none";
    }
    return el("ul", { class: "sr-chips" }, tally(list).map(([card, number]) => {
      const { faction } = factOf(card);
      const letter = el("span", { class: "sr-badge", "aria-hidden": "true" }, (factions[faction] || faction).slice(0, 1));
      return el("li", { class: `sr-chip sr-${faction}`, "data-card": card, "data-count": number }, letter, number > 1 ? `${card} ×${number}` : card);
    }));
  }

  // --- what can be done --------------------------------------------------------------------------

  /** Takes the choices of a question one by one: each stands at one place of the table. */
  class Choices {
    constructor() {
      this.left = new Map();
      const request = shown.view.request;
      if (asking.question && request?.actions) {
        asking.question.choices.forEach((choice, index) => {
          this.left.set(index, choice.key ? {} : request.actions[index] || {});
        });
      }
    }

    /** Buttons of the choices that do one of these to a card, where that is one of the first such. */
    take(does, card) {
      const found = [...this.left].filter(([, action]) => does.includes(action.action) && action.card === card);
      return found.map(([index, { action, to }]) => {
        this.left.delete(index);
        return button(index, WORDS[action] + (to === "deck" ? " on top" : ""));
      });
    }
  }

  function button(index, words, attributes = {}) {
    const { name, cells } = asking.question.choices[index];
    const label = `${words}: ${[name.replaceAll("-", " "), ...cells].join(", ")}`; // begins with what is seen
    return asking.button(index, { "aria-label": label, title: cells.join("; "), ...attributes }, words);
  }

  // --- the parts -------------------------------------------------------------------------------

  /** The seat whose turn it is; null before the first turn and when the match is over. */
  function mover() {
    const { view, more } = shown;
    return view.turn && !(more.marks || []).some((mark) => mark.kind === "end") ? view.player : null;
  }

  function paintSeats(choices) {
    const { view, before, more } = shown;
    const strips = view.seats.map((seen, seat) => {
      const was = before?.seats[seat];
      const key = [
        ...[seen.authority, seen.hand_size, seen.deck_size, seen.discard.length, seen.due],
        ...[was?.authority, mover(), more.marks, view.player],
      ];
      const box = once(`seat ${seat}`, key, () => strip(seen, was, seat));
      const bases = () => tiles(`seat ${seat}`, pieces(seen, asking.question ? choices : null, ["attack-base"]), "No bases.");
      fill(box, [box.firstChild, ...(seat === view.player ? [] : [bases()])]);
      return box;
    });
    fill(parts.seats, strips);
  }

  function strip(seen, was, seat) {
    const { more } = shown;
    const isNow = mover() === seat;
    const change = was ? seen.authority - was.authority : 0;
    const faults = (more.marks || []).filter((mark) => mark.seat === seat && mark.code);
    const facts = [
      `hand ${seen.hand_size}`, `deck ${seen.deck_size}`, `discarded ${seen.discard.length}`,
      ...(seen.due ? [`${seen.due} to discard`] : []),
    ];
    return el(
      "article",
      { class: "sr-strip", "data-current": isNow, style: { "--seat": kit.seat(seat).colour } },
      el(
        "div",
        {},
        el("h2", {}, glyph(seat), names[seat], isNow && el("span", { class: "sr-told" }, " has the turn")),
        el("p", { class: "sr-authority" }, el("b", {}, String(seen.authority)), " authority", change !== 0 && ` (${change > 0 ? "+" : "−"}${Math.abs(change)})`),
        el("p", { class: "sr-told" }, facts.join(" · ")),
        faults.map((mark) => el("p", { class: "sr-fault" }, `! ${mark.code}`)),
      ),
    );
  }

  function glyph(seat) {
    const { colour, glyph: mark } = kit.seat(seat);
    return el("span", { class: "sr-glyph", style: { "--seat": colour }, "aria-hidden": "true" }, mark);
  }

  /** Cards in play, equal ones together. */
  function pieces(seen, choices, does) {
    const groups = new Map();
    for (const piece of seen.in_play) {
      const key = JSON.stringify(piece);
      groups.set(key, { piece, times: (groups.get(key)?.times || 0) + 1 });
    }
    const { player, seats } = shown.view;
    return [...groups].map(([key, { piece, times }]) => {
      const { card, used, ally_used: ally } = piece;
      const isOwn = seen === seats[player];
      const notes = isOwn ? [!used && "can be used", ally && "ally used"].filter(Boolean) : [];
      const fitting = does.filter((what) => (what !== "use-base" || !used) && (what !== "use-ally" || !ally));
      return held(`${isOwn} ${key}`, card, { times, notes, buttons: choices ? choices.take(fitting, card) : [], state: isOwn && !used ? "sr-ready" : "" });
    });
  }

  /** A tile that stays while it is the same; with buttons it is made anew. */
  function held(place, card, more) {
    return asking.question ? tile(card, more) : once(`tile ${place}`, [card, more], () => tile(card, more));
  }

  function paintRow(choices) {
    const { view, before } = shown;
    const old = before ? [...before.trade_row] : view.trade_row;
    const list = view.trade_row.map((card) => {
      const place = old.indexOf(card);
      const isNew = before && place < 0;
      if (before && place >= 0) {
        old.splice(place, 1);
      }
      return [card, isNew];
    });
    const row = list.map(([card, isNew], place) => {
      return held(`row ${place}`, card, { state: isNew ? "sr-new" : "", notes: isNew ? ["new"] : [], buttons: choices.take(["buy"], card) });
    });
    row.push(held("pile", pile, { times: view.explorers, notes: view.explorers ? [] : ["none left"], buttons: choices.take(["buy"], pile) }));
    const title = once("row", view.trade_deck, () => el("h2", {}, `Trade row, ${view.trade_deck} more in the deck`));
    fill(parts.row, [title, tiles("row", row, "")]);
  }

  function paintActive(choices) {
    const { view, before } = shown;
    const seen = view.seats[view.player];
    const seat = mover();
    parts.active.style.setProperty("--seat", seat === null ? "var(--line)" : kit.seat(seat).colour);
    const { question } = asking;
    const title = seat === null ? (view.turn ? "The match is over" : "Before the first turn") : `${names[seat]} has the turn`;
    const counters = [["Trade", view.trade], ["Combat", view.combat]].map(([name, number]) => {
      return el("div", {}, el("dt", {}, name), el("dd", {}, String(number)));
    });
    const inside = [
      el("h2", { class: question ? "unseen" : null }, seat !== null && glyph(seat), title),
      el("dl", { class: "sr-counters" }, counters),
      view.next_ship_to_top && el("p", { class: "sr-note" }, "The next ship bought may go on top of the deck."),
    ];
    if (!question) {
      inside.push(el("p", { class: "sr-told" }, shown.more.ended ? "" : describe(view, before)));
    }
    const options = question && !view.request?.actions;
    if (options) {
      inside.push(zone("Choose from", offered(), ""));
    }
    if (seen.hand && !shown.more.ended && !options) {
      const hand = tally(seen.hand).map(([card, times]) => held(`hand ${card}`, card, { times, buttons: choices.take(["play"], card) }));
      inside.push(zone("Hand", hand, "No cards."));
    }
    const inPlay = pieces(seen, choices, ["use-base", "use-ally", "scrap"]);
    if (question) { // what can be done; the rest is small
      const usable = inPlay.filter((piece) => piece.querySelector("button"));
      inside.push(usable.length > 0 && zone("In play", usable, ""), seen.in_play.length > 0 && el("div", {}, chips(cardsOf(seen))));
    } else {
      inside.push(zone("In play", inPlay, "No cards."));
    }
    if (view.copied) {
      inside.push(el("p", { class: "sr-note" }, `A ship is copied: ${view.copied}.`));
    }
    fill(parts.buttons, question ? questionBelow(choices) : []);
    fill(parts.active, inside.filter(Boolean));
  }

  function paintPiles() {
    const { view } = shown;
    const lists = view.seats.map((seen, seat) => {
      const piles = seen.hand ? [["Hand", seen.hand], ["Deck", seen.deck]] : [["Hand and deck", seen.hidden]];
      piles.push(["Discarded", seen.discard]);
      const box = once(`cards ${seat}`, 0, () => {
        const title = el("h2", {}, glyph(seat), `Cards of ${names[seat]}`);
        return el("article", { class: "sr-strip", style: { "--seat": kit.seat(seat).colour } }, title, el("dl", { class: "sr-zones" }));
      });
      fill(box.lastChild, piles.flatMap(([name, list]) => [
        once(`count ${name} ${seat}`, list.length, () => el("dt", {}, `${name} ${list.length}`)),
        once(`pile ${name} ${seat}`, list, () => el("dd", {}, chips(list))),
      ]));
      return box;
    });
    fill(parts.piles, lists);
  }

  // --- a question ------------------------------------------------------------------------------

  /** The options of a choice as tiles, or as effects. */
  function offered() {
    const { question, picks } = asking;
    return question.choices.map((choice, index) => {
      const card = shown.view.request?.options?.[index]?.card;
      const place = picks.indexOf(index);
      const words = place < 0 ? "Choose" : `Chosen ${question.most > 1 ? place + 1 : ""}`;
      const toggles = question.most > 1 ? { "aria-pressed": String(place >= 0) } : {};
      const chooses = button(index, words, toggles);
      if (card) {
        return tile(card, { notes: [choice.cells[0].split(";")[0]], buttons: [chooses], state: place >= 0 ? "sr-new" : "" });
      }
      return el("li", { class: "sr-card sr-can" }, el("div", { class: "sr-face" }, el("span", { class: "sr-name" }, kit.signed(choice.cells.join(", "), SIGNS))), chooses);
    });
  }

  function questionBelow(choices) {
    const rest = [...choices.left.keys()].map((index) => { // what has no place on the table
      const { name, cells } = asking.question.choices[index];
      return button(index, name.replaceAll("-", " ") + (cells[0]?.length < 14 ? ` (${cells.join(", ")})` : ""));
    });
    return [...rest, ...asking.ends("Choose these", "sr-main")];
  }

  // --- what others call ------------------------------------------------------------------------

  function paint() {
    const { more } = shown;
    const isWide = (more.width || table.clientWidth) >= 520;
    const order = isWide ? ["seats", "row", "active", "buttons", "piles"] : ["active", "row", "seats", "buttons", "piles"];
    asking.keepFocus(() => {
      fill(table, order.map((name) => parts[name]));
      const choices = new Choices();
      paintSeats(choices);
      paintRow(choices);
      paintActive(choices);
      paintPiles();
    });
  }

  function draw(view, before, more) {
    shown = { view, before, more: more || {} };
    paint();
  }

  /** What happened between two views, as far as these eyes saw it: one sentence. */
  function describe(view, before) {
    if (!before) {
      return "The match begins.";
    }
    const said = view.seats.map((seen, seat) => {
      const was = before.seats[seat];
      const did = [];
      const add = (verb, list) => list.length && did.push(`${verb} ${listed(list)}`);
      if (seat === view.player) {
        const isSame = before.turn === view.turn;
        add("plays", view.played.slice(isSame ? before.played.length : 0));
        const got = ["trade", "combat"].map((what) => isSame && view[what] > before[what] && `${what} +${view[what] - before[what]}`);
        did.push(...got.filter(Boolean));
        if (isSame && !seen.hand_size && seen.discard.length > was.discard.length && minus(owned(seen), owned(was)).length === 0) {
          did.push("cleans up");
        }
      }
      add("gains", minus(owned(seen), owned(was)));
      add("gives up", minus(owned(was), owned(seen)));
      const drawn = was.deck_size - seen.deck_size;
      if (seen.shuffles > was.shuffles) {
        did.push("shuffles");
      } else if (drawn > 0) {
        did.push(`draws ${drawn}`);
      }
      if (seat !== view.player && seat !== before.player) {
        add("loses", minus(cardsOf(was), cardsOf(seen)));
      }
      const change = seen.authority - was.authority;
      if (change) {
        did.push(`${change > 0 ? "gets" : "loses"} ${Math.abs(change)} authority`);
      }
      return did.length ? `${names[seat]} ${did.join(", ")}` : "";
    });
    if (view.turn !== before.turn) {
      said.push(`${names[view.player]} begins a turn`);
    }
    return `${said.filter(Boolean).join("; ") || "No card has moved"}.`;
  }

  /** The cards of a list that are not in the other. */
  function minus(list, other) {
    const counts = new Map(tally(other));
    return list.filter((card) => {
      const number = counts.get(card) || 0;
      counts.set(card, number - 1);
      return number <= 0;
    });
  }

  const legend = [
    [el("span", { class: "sr-cost" }, 3), "costs 3 trade"],
    ...[["coin", "trade"], ["sword", "combat"], ["shield", "authority"], ["card", "cards drawn"]].map(([name, words]) => [kit.sign(name, 1), words]),
    ...Object.entries(factions).map(([faction, name]) => [el("span", { class: `sr-chip sr-${faction}` }, name[0]), name]),
  ];

  return { legend, draw, describe, ask: (...asked) => asking.ask(...asked), picked: () => asking.picked(), unmount: () => table.remove() };
}

// --- lists of cards --------------------------------------------------------------------------------

function cardsOf(seen) {
  return seen.in_play.map(({ card }) => card);
}

function owned(seen) {
  return [...seen.hidden, ...seen.discard, ...cardsOf(seen)];
}

// The table of Dominion: the supply, the seat that decides with its play area and hand, and a strip
// for each seat. What cards cost and do comes from Python (`header.facts`), as all legality does.

const SIGNS = [[/\+?(\d+) money/g, "coin"], [/\+(\d+) cards?/g, "card"], [/\+(\d+) actions?/g, "bolt"], [/\+(\d+) buys?/g, "bag"], [/(-?\d+) points?/g, "star"]];

/** Draws into root; see the interface of a drawing. */
export function mount(root, header, kit) {
  const { el, fill, tally } = kit;
  const { cards, supply } = header.facts;
  // Hands are sorted like the turns as text: what can be played first.
  const order = new Map([...supply].reverse().flat().map((card, place) => [card, place]));
  const names = header.seats.map((_, seat) => kit.seat(seat).name);
  const parts = { supply: section("supply"), active: section("active"), buttons: section("buttons"), seats: section("seats") };
  const table = el("div", { class: "dom" });
  let shown = null; // what was drawn last: view, before, more
  const asking = new kit.Asking(table, () => paint());
  const once = kit.keeper();
  const groups = supply.map((_, place) => el("ul", { class: `dom-cards dom-group${place}` }));
  root.append(table);
  parts.supply.append(el("h2", {}, "Supply"), ...groups);
  parts.seats.append(el("h2", {}, "Seats"));

  function section(name) {
    return el("section", { class: `dom-${name}`, "data-zone": name });
  }

  // --- a card ----------------------------------------------------------------------------------

  /** Words that only a screen reader gets. */
  function say(text) {
    return el("span", { class: "dom-say" }, text);
  }

  /** A card as a tile, and as a button if it can be chosen: choices are indices of the question.
      A screen reader gets words, where others see places and shapes. */
  function tile(card, choices, words, state, content) {
    const fact = cards[card] || { kind: "none", text: "" };
    const inside = [
      el("span", { class: "dom-name" }, card),
      el("span", { class: "dom-kind" }, fact.kind[0].toUpperCase()),
      ...Object.entries(content).map(([name, text]) => el("span", { class: `dom-${name}` }, name === "does" ? kit.signed(text, SIGNS) : text)),
    ];
    const label = [card, fact.kind, ...words];
    const attributes = { class: `dom-card dom-${fact.kind}${state}`, title: fact.text, "data-card": card, "data-count": content.left ?? (content.times || "×1").slice(1) };
    if (!choices) {
      const picture = { role: "img", "aria-label": label.join(", ") };
      return el("li", {}, el("div", { ...attributes, ...picture }, ...inside));
    }
    const choice = asking.question.choices[choices[0]];
    const places = asking.picks.flatMap((pick, place) => (choices.includes(pick) ? place + 1 : []));
    if (choice.barred) {
      label.push(choice.barred);
      attributes.title = `${choice.barred}; ${fact.text}`;
      attributes["aria-disabled"] = "true";
    } else if (places.length) {
      label.push(`chosen ${places.join(", ")}`);
      inside.push(el("span", { class: "dom-pick" }, places.join(", ")));
    }
    attributes["aria-label"] = label.join(", ");
    if (asking.question.most > 1 && !asking.question.repeats && !choice.barred) {
      attributes["aria-pressed"] = String(places.length > 0);
    }
    return el("li", {}, asking.button(choices[0], attributes, ...inside));
  }

  function pile(card, choices) {
    const { view, before } = shown;
    const left = view.supply[card];
    const was = before && before.supply ? before.supply[card] : left;
    const changed = was !== undefined && was !== left;
    const { cost } = cards[card];
    const words = [`costs ${cost}`, left === 0 ? "empty" : `${left ?? "–"} left`];
    if (changed) {
      words.push(`there were ${was}`);
    }
    const state = (changed ? " dom-changed" : "") + (left === 0 ? " dom-empty" : "");
    return tile(card, choices, words, state, { cost, left: left ?? "–", ...(cards[card].kind === "action" && { does: textOf(card) }) });
  }

  function held(card, number, choices) {
    const cell = choices && asking.question.choices[choices[0]].cells[0];
    const content = number > 1 ? { times: `×${number}` } : {};
    content.does = cell || textOf(card);
    return tile(card, choices, Object.values(content), "", content);
  }

  function textOf(card) {
    return cards[card] ? cards[card].text : "";
  }

  function chips(counts) {
    const inside = [...counts].map(([card, number]) => {
      const kind = cards[card] ? cards[card].kind : "none";
      return el("li", { class: `dom-chip dom-${kind}`, "data-card": card, "data-count": number }, number > 1 ? `${card} ×${number}` : card);
    });
    return el("ul", { class: "dom-chips" }, ...inside);
  }

  // --- the parts -------------------------------------------------------------------------------

  function paintSupply(piles) {
    const { view, before } = shown;
    supply.forEach((group, place) => {
      const list = group.map((card) => {
        if (piles) {
          return pile(card, piles.get(card));
        }
        const key = [view.supply[card], before?.supply?.[card]];
        return once(card, key, () => pile(card));
      });
      fill(groups[place], list);
    });
  }

  function paintActive(inHand) {
    const { view } = shown;
    const seat = active();
    const request = view.request;
    const own = seat === null ? null : view.seats[seat].own;
    const inside = shown.more.ended ? [] : [el("h2", { class: asking.question ? "unseen" : null }, ...heading(seat))];
    if (request) {
      const list = counters(request);
      const make = () => el("dl", { class: "dom-counters" }, ...list.map(counter));
      inside.push(once("counters", list, make));
    }
    if (!asking.question && !shown.more.ended) {
      inside.push(el("p", { class: "dom-told" }, describe(view, shown.before)));
    }
    if (own && own.in_play.length && !asking.question) {
      inside.push(zone("In play", runs(own.in_play)));
    }
    const hand = own ? counted(own.hand) : new Map();
    if (inHand) {
      const rest = [...hand].filter(([card]) => !inHand.some((choice) => choice.name === card));
      const open = inHand.map(({ name, index }) => {
        const alone = inHand.filter((other) => other.name === name).length === 1;
        return held(name, alone ? hand.get(name) || 1 : 1, [index]);
      });
      const list = [...open, ...rest.map(([card, number]) => held(card, number))];
      const tiles = el("ul", { class: "dom-cards dom-held" }, ...list);
      inside.push(el("div", { class: "dom-zone" }, el("h3", {}, "Choose from"), tiles));
    } else if (own && asking.question) {
      inside.push(el("div", {}, el("h3", {}, "Hand"), chips(hand)));
    } else if (own && seesHand(seat)) {
      inside.push(zone("Hand", [...hand]));
    }
    fill(parts.buttons, asking.question ? [questionBelow()] : []);
    parts.active.hidden = !inside.length;
    const edge = seat === null ? "var(--line)" : kit.seat(seat).colour;
    parts.active.style.setProperty("--seat", edge);
    fill(parts.active, inside);
  }

  function zone(name, list) {
    return once(name, list, () => {
      const inside = list.map(([card, number]) => held(card, number));
      const tiles = el("ul", { class: "dom-cards dom-held" }, ...inside);
      const nothing = el("p", { class: "dom-told" }, "No cards.");
      return el("div", { class: "dom-zone" }, el("h3", {}, name), list.length ? tiles : nothing);
    });
  }

  function heading(seat) {
    if (seat === null) {
      return ["The last move"];
    }
    const attacked = shown.view.request && shown.view.request.type === "attack-request";
    return [glyph(seat), names[seat] + (attacked ? " is attacked" : " has the turn")];
  }

  /** The seat that decides, else the one whose turn it is; null if nobody's or not known. */
  function active() {
    const { seats = [], marks = [] } = shown.more;
    return shown.view.asked ?? (seats.length === 1 && !marks.some((mark) => mark.kind === "end") ? seats[0] : null);
  }

  /** Whether these eyes see the hand of a seat. */
  function seesHand(seat) {
    return ["all", String(seat)].includes(shown.more.eyes);
  }

  function counters(request) {
    if (request.type === "attack-request") {
      return [["To discard", String(request.discard)]];
    }
    const worth = request.hand.reduce((sum, card) => sum + cards[card].worth, 0);
    const money = String(request.extra_money);
    return [
      ["Actions", String(request.actions)],
      ["Buys", String(request.buys)],
      ["Money", request.buys && worth ? `${money} + ${worth} in hand` : money],
    ];
  }

  function counter([name, text]) {
    return el("div", {}, el("dt", {}, name), el("dd", {}, text));
  }

  function paintSeats() {
    const { view, more } = shown;
    const strips = view.seats.map((seen, seat) => {
      const key = [seen, active(), more.eyes === "all", more.marks];
      return once(seat, key, () => strip(seen, seat));
    });
    fill(parts.seats, [parts.seats.firstChild, ...strips]);
  }

  function strip(seen, seat) {
    const { view, more } = shown;
    const isNow = active() === seat;
    const owned = [...Object.values(seen.cards)].reduce((sum, number) => sum + number, 0);
    const facts = [`${owned} cards`, ...(seen.own ? [`${seen.own.turns} ${plural(seen.own.turns, "own turn")}`] : [])];
    const zones = seen.own
      ? zonesOf(seen.own, seat, isNow)
      : [["Owns", Object.entries(seen.cards)]];
    const rows = zones.flatMap(([name, counts]) => {
      const make = () => el("dd", {}, counts.length ? chips(counts) : "none");
      return [el("dt", {}, name), once(`${seat} ${name.split(" ")[0]}`, counts, make)];
    });
    const faults = (more.marks || []).filter((mark) => mark.seat === seat && mark.code);
    return el(
      "article",
      { class: "dom-strip", "data-current": isNow, style: colour(seat) },
      el("h3", {}, glyph(seat), names[seat], ...(isNow ? [say(" (to move)")] : [])),
      el("p", { class: "dom-points" }, el("b", {}, String(seen.score)), ` ${plural(seen.score, "point")}`),
      el("p", { class: "dom-facts" }, facts.join(" · ")),
      ...faults.map((mark) => el("p", { class: "dom-fault" }, `! ${mark.code}`)),
      el("dl", { class: "dom-zones" }, ...rows),
    );
  }

  /** Zones with their cards; those of the seat that decides are on the table already. */
  function zonesOf(own, seat, onTable) {
    const hidden = !seesHand(seat) && shown.view.asked !== seat && !own.hand.length;
    const sorted = (list) => [...counted(list)];
    const zones = [
      ...(own.in_play.length && !onTable ? [["In play", own.in_play, runs]] : []),
      ...(onTable || hidden ? [] : [["Hand", own.hand, sorted]]),
      [hidden ? "Deck and hand" : "Deck", own.deck, shown.more.eyes === "all" ? runs : sorted],
      ["Discarded", own.discard_pile, sorted],
    ];
    return zones.map(([name, list, show]) => [`${name} ${list.length}`, show(list)]);
  }

  function colour(seat) {
    return { "--seat": kit.seat(seat).colour };
  }

  function glyph(seat) {
    const mark = kit.seat(seat).glyph;
    return el("span", { class: "dom-glyph", style: colour(seat), "aria-hidden": "true" }, mark);
  }

  // --- a question ------------------------------------------------------------------------------

  function questionBelow() {
    const { question, picks } = asking;
    const inside = [];
    for (const [index, choice] of question.choices.entries()) {
      if (choice.key || !cards[choice.name]) {
        const why = choice.barred ? ` (${choice.barred})` : "";
        const attributes = choice.barred ? { "aria-disabled": "true" } : {};
        inside.push(asking.button(index, attributes, choice.name + why));
      }
    }
    const what = listed(tally(picks.map((pick) => question.choices[pick].name)));
    inside.push(...asking.ends(what ? `Choose ${what}` : "Choose", "dom-main"));
    return el("div", {}, ...inside);
  }

  /** The choices that are cards: those of the supply if all piles are among them, else of a hand. */
  function choicesOnTable() {
    if (!asking.question) {
      return {};
    }
    const indexed = asking.question.choices.map((choice, index) => ({ ...choice, index }));
    const those = indexed.filter((choice) => !choice.key && cards[choice.name]);
    const piles = new Map(those.map(({ name, index }) => [name, [index]]));
    return piles.size === order.size ? { piles } : { inHand: those };
  }

  // --- what others call ------------------------------------------------------------------------

  function paint() {
    const { view, more } = shown;
    const { piles, inHand } = choicesOnTable();
    const isWide = (more.width || table.clientWidth) >= 520;
    const [first, second] = isWide ? ["supply", "active"] : ["active", "supply"];
    const inOrder = [parts[first], parts[second], parts.buttons, parts.seats];
    asking.keepFocus(() => {
      fill(table, [...inOrder, help]);
      paintSupply(piles);
      paintActive(inHand);
      paintSeats();
    });
  }

  const help = el(
    "details",
    { class: "dom-help" },
    el("summary", {}, "What the cards do"),
    el(
      "dl",
      {},
      ...supply.flat().flatMap((card) => [
        el("dt", {}, `${card} (${cards[card].kind}, costs ${cards[card].cost})`),
        el("dd", {}, cards[card].text),
      ]),
    ),
  );

  function draw(view, before, more) {
    shown = { view, before, more: more || {} };
    paint();
  }

  /** What happened between two views, as far as these eyes saw it: one sentence. */
  function describe(view, before) {
    const parts = [];
    if (!before) {
      parts.push("The match begins");
    } else {
      view.seats.forEach((seat, index) => {
        const did = actionsOf(seat, before.seats[index], before, index);
        if (did.length) {
          parts.push(`${names[index]} ${did.join(", ")}`);
        }
      });
    }
    const { asked, request } = view;
    if (request && request.type === "attack-request") {
      const number = `${request.discard} ${plural(request.discard, "card")}`;
      parts.push(`${names[asked]} is attacked and has to discard ${number}`);
    } else if (request && (!before || turnsOf(before, asked) !== turnsOf(view, asked))) {
      parts.push(`${names[asked]} begins a turn`);
    }
    return parts.length ? `${parts.join("; ")}.` : "No card has moved.";
  }

  const kinds = ["action", "treasure", "victory", "curse"].map((kind) => [el("span", { class: `dom-chip dom-${kind}` }, kind[0].toUpperCase()), kind]);
  const legend = [[el("span", { class: "dom-cost" }, 5), "costs 5 money"], ...[["coin", "money"], ["card", "cards drawn"], ["bolt", "actions"], ["bag", "buys"], ["star", "points"]].map(([name, words]) => [kit.sign(name, 1), words]), ...kinds];

  return { legend, draw, describe, ask: (...asked) => asking.ask(...asked), picked: () => asking.picked(), unmount: () => table.remove() };

  function actionsOf(now, was, before, seat) {
    const did = [];
    const add = (verb, list) => list.length && did.push(`${verb} ${listed(list)}`);
    if (now.own && was.own) {
      const began = now.own.turns !== was.own.turns;
      const table = (own) => own.hand.length + own.in_play.length;
      add("plays", tally(now.own.in_play.slice(began ? 0 : was.own.in_play.length)));
      if (!table(now.own) && table(was.own)) {
        did.push("cleans up");
      }
      if (now.own.deck.length !== was.own.deck.length && now.own.hand.length > was.own.hand.length) {
        did.push(`draws ${now.own.hand.length - was.own.hand.length}`);
      }
      const attacked = before.asked === seat && before.request.type === "attack-request";
      if (attacked && !began) {
        const lost = minus(counted(was.own.hand), counted(now.own.hand));
        add("discards", lost);
        if (!lost.length) {
          did.push("keeps all cards");
        }
      }
    }
    add("trashes", minus(entries(was.cards), entries(now.cards)));
    add("gains", minus(entries(now.cards), entries(was.cards)));
    return did;
  }

  function counted(list) {
    const sorted = [...list].sort((one, other) => order.get(one) - order.get(other));
    return new Map(tally(sorted));
  }
}

// --- lists of cards --------------------------------------------------------------------------------

function turnsOf(view, seat) {
  const own = view.seats[seat].own;
  return own ? own.turns : 0;
}

function entries(object) {
  return new Map(Object.entries(object));
}

/** [[card, number], ...] of a list whose order matters: neighbours that are equal come together. */
function runs(list) {
  const found = [];
  for (const card of list) {
    const last = found[found.length - 1];
    if (last && last[0] === card) {
      last[1] += 1;
    } else {
      found.push([card, 1]);
    }
  }
  return found;
}

function minus(counts, others) {
  return [...counts]
    .map(([card, number]) => [card, number - (others.get(card) || 0)])
    .filter(([, number]) => number > 0);
}

function listed(counts) {
  return counts.map(([card, number]) => (number > 1 ? `${number} ${card}` : card)).join(", ");
}

function plural(number, noun) {
  return number === 1 ? noun : `${noun}s`;
}

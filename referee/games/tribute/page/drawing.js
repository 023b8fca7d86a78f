// The table of Scripts of Tribute: both players with their agents, the patrons, the tavern row, and
// the player whose turn it is with its hand and what it has played. What cards and patrons are
// called, cost and do comes from Python (`header.facts`), as all legality does.

const WORDS = { // action -> what stands on its button, and what is noted of who can do it
  "play-card": ["Play", ""], "activate-agent": ["Activate", "can be activated"],
  attack: ["Attack", "can be attacked"], "buy-card": ["Buy", "can be bought"],
  "call-patron": ["Call", "can be called"],
};

const SIGNS = [[/(\d+) coins?/g, "coin"], [/(\d+) power/g, "sword"], [/(\d+) prestige/g, "star"], [/draw (\d+)/g, "card"], [/destroy (\d+)/g, "bin"], [/(\d+) HP/g, "shield"]];

/** Draws into root; see the interface of a drawing. */
export function mount(root, header, kit) {
  const { el, fill, listed, tally } = kit;
  const { cards, patrons, asks } = header.facts;
  const names = header.seats.map((_, seat) => kit.seat(seat).name);
  const table = el("div", { class: "tr" });
  const parts = {};
  for (const name of ["seats", "patrons", "row", "active", "buttons", "piles"]) {
    parts[name] = el("section", { class: `tr-${name}`, "data-zone": name });
  }
  const asking = new kit.Asking(table, () => paint());
  const once = kit.keeper();
  let shown = null; // what was drawn last: view, before, more
  let actions = new Map(); // uid or patron -> what can be done: index of the choice, and its words
  root.append(table);

  // --- a card, a patron ----------------------------------------------------------------------------

  const factOf = (card) => cards[card] || { name: card, deck: "", type: "", text: "" };
  const nameOf = (card) => factOf(card).name;
  const patronOf = (patron) => patrons[patron] || { name: patron, text: "" };
  /** A card or a patron. */
  const titleOf = (source) => (source.card ? nameOf(source.card) : patronOf(source).name);

  /** The edge of a deck, by its patron's place at the table. */
  function edge(deck) {
    return `tr-deck${Object.keys(shown.view.favours).indexOf(deck)}`;
  }

  /** A card or the like: its name, a number beside it, lines, notes, a button. It stays while it is the
      same; with a button it is made anew. */
  function tile(place, { name, number = "", lines, notes = [], deck, choose, state = "" }) {
    const told = notes.filter(Boolean);
    const make = () => el(
      "li",
      { class: `tr-card ${edge(deck)} ${state}${choose ? " tr-can" : ""}`, "data-card": name.split(" ×")[0], "data-count": name.split(" ×")[1] ?? 1 },
      el(
        "div",
        { class: "tr-face", role: "img", "aria-label": [name, number && `costs ${number}`, ...lines, ...told].filter(Boolean).join(", ") },
        number && el("span", { class: "tr-cost" }, number),
        el("span", { class: "tr-name" }, name),
        lines.map((line, place) => el("span", { class: lines[place + 1] ? "tr-text tr-type" : "tr-text" }, kit.signed(line, SIGNS))),
        told.map((note) => el("span", { class: "tr-note" }, note)),
      ),
      choose,
    );
    return choose ? make() : once(`tile ${place}`, [name, number, lines, told, state, edge(deck)], make);
  }

  function cardTile(place, card, { times = 1, hp, notes = [], choose, state }) {
    const fact = factOf(card);
    return tile(place, {
      name: fact.name + (times > 1 ? ` ×${times}` : ""), number: String(fact.cost ?? ""),
      lines: [`${patronOf(fact.deck).name} ${fact.type}${!hp && fact.hp ? ` ${fact.hp} HP` : ""}`, fact.text],
      notes: [hp && `${hp} of ${fact.hp} HP`, fact.taunt && "taunt", ...notes], deck: fact.deck, choose, state,
    });
  }

  function patronTile(place, patron, { notes = [], choose, state }) {
    const { name, text } = patronOf(patron);
    return tile(place, { name, lines: [text], notes, deck: patron, choose, state });
  }

  function tiles(place, list, nothing) {
    const box = once(`tiles ${place}`, 0, () => el("ul", { class: "tr-cards" }));
    fill(box, list);
    return list.length ? box : once(`none ${place}`, nothing, () => el("p", { class: "tr-told" }, nothing));
  }

  function zone(name, list, nothing) {
    const box = once(`zone ${name}`, 0, () => el("div", { class: "tr-zone" }, el("h3", {}, name)));
    fill(box, [box.firstChild, tiles(name, list, nothing)]);
    return box;
  }

  /** Cards as a line of small labels. */
  function chips(list) {
    return el("ul", { class: "tr-chips" }, tally(list.map(({ card }) => card)).map(([card, number]) => {
      return el("li", { class: `tr-chip ${edge(factOf(card).deck)}`, "data-card": nameOf(card), "data-count": number }, nameOf(card) + (number > 1 ? ` ×${number}` : ""));
    }));
  }

  function glyph(seat) {
    const { colour, glyph: mark } = kit.seat(seat);
    return el("span", { class: "tr-glyph", style: { "--seat": colour }, "aria-hidden": "true" }, mark);
  }

  // --- what can be done ----------------------------------------------------------------------------

  function findActions() {
    const { request } = shown.view;
    const found = (request?.actions || []).filter(({ type }) => WORDS[type]);
    actions = new Map(found.map((action, index) => [action.card ?? action.patron, { index, words: WORDS[action.type] }]));
  }

  /** How a tile shows that something can be done with it: in a question by a button. */
  function doable(thing) {
    const action = actions.get(thing);
    if (!action) return {};
    const [does, can] = action.words;
    if (!asking.question) return { notes: [can], state: can && "tr-ready" };
    return { choose: button(action.index, does) };
  }

  function button(index, words, attributes = {}) {
    const { name, cells } = asking.question.choices[index];
    const label = `${words}: ${name.replaceAll("-", " ")}, ${cells.join(", ")}`; // begins with what is seen
    return asking.button(index, { "aria-label": label, ...attributes }, words);
  }

  // --- the parts -----------------------------------------------------------------------------------

  /** The seat whose turn it is; null when the match is over. */
  function mover() {
    const { view, more } = shown;
    return (more.marks || []).some((mark) => mark.kind === "end") ? null : view.player;
  }

  function agents(seat) {
    const { view } = shown;
    const list = view.seats[seat].agents.map(({ uid, card, hp, activated }) => {
      const { notes = [], ...can } = doable(uid);
      return cardTile(`agent ${uid}`, card, { hp, notes: [activated && "activated", ...notes], ...can });
    });
    return tiles(`agents ${seat}`, list, "No agents.");
  }

  function paintSeats() {
    const { view } = shown;
    fill(parts.seats, view.seats.map((seen, seat) => {
      const isActive = seat === view.player;
      const box = once(`seat ${seat}`, 0, () => el("article", { class: "tr-strip", style: { "--seat": kit.seat(seat).colour } }));
      box.toggleAttribute("data-current", mover() === seat);
      const inside = [head(seen, seat)];
      if (seen.hand && !isActive) inside.push(once(`hand ${seat}`, seen.hand, () => el("div", {}, chips(seen.hand))));
      if (view.turn && !isActive) inside.push(agents(seat));
      fill(box, inside);
      return box;
    }));
  }

  function head(seen, seat) {
    const { view, before, more } = shown;
    const isActive = seat === view.player; // what it has to spend is shown there
    const isNow = mover() === seat;
    const change = before ? seen.prestige - before.seats[seat].prestige : 0;
    const faults = (more.marks || []).filter((mark) => mark.seat === seat && mark.code).map(({ code }) => code);
    const due = isActive ? [] : view.start_of_next_turn;
    const facts = !view.turn ? [] : [
      !isActive && seen.coins && `coins ${seen.coins}`, !isActive && seen.power && `power ${seen.power}`, `hand ${seen.hand_size}`,
      `draw pile ${seen.hand_and_draw.length - seen.hand_size}`, `cooldown ${seen.cooldown.length}`,
      due.length && `has to discard for ${due.map(({ source }) => nameOf(source.card)).join(", ")}`,
    ].filter(Boolean);
    return once(`head ${seat}`, [isNow, seen.prestige, change, facts, faults], () => el(
      "div",
      {},
      el("h2", {}, glyph(seat), names[seat], isNow && el("span", { class: "tr-told" }, " has the turn")),
      el("p", { class: "tr-prestige" }, el("b", {}, String(seen.prestige)), " prestige", change !== 0 && ` (${signed(change)})`),
      facts.length > 0 && el("p", { class: "tr-told" }, facts.join(" · ")),
      faults.map((code) => el("p", { class: "tr-fault" }, `! ${code}`)),
    ));
  }

  function paintPatrons() {
    const { view, before } = shown;
    const atTable = Object.keys(view.favours);
    const list = (atTable.length ? atTable : view.picked).map((patron) => {
      const seat = header.seats.findIndex(({ id }) => id === view.favours[patron]);
      const has = patronOf(patron).favours && atTable.length;
      const favour = has && (seat < 0 ? "neutral" : `${kit.seat(seat).glyph} favours ${names[seat]}`);
      const count = view.counters[patron];
      const moved = before && patron in before.favours && before.favours[patron] !== view.favours[patron];
      const { notes = [], state = "", choose } = doable(patron);
      return patronTile(`patron ${patron}`, patron, {
        notes: [favour, count && `${count} ${count > 1 ? "cards" : "card"} this turn`, ...notes],
        state: `${state} ${moved ? "tr-new" : ""} ${seat < 0 ? "" : `tr-of${seat}`}`, choose,
      });
    });
    const title = once("patrons", atTable.length, () => el("h2", {}, atTable.length ? "Patrons" : "Patrons picked"));
    fill(parts.patrons, [title, tiles("patrons", list, "None yet.")]);
  }

  function paintRow() {
    const { view, before } = shown;
    const old = new Set((before?.row || []).map(({ uid }) => uid));
    const list = view.row.map(({ uid, card }, place) => {
      const isNew = old.size > 0 && !old.has(uid);
      const { notes = [], state = "", choose } = doable(uid);
      return cardTile(`row ${place}`, card, { notes: [isNew && "new", ...notes], state: isNew ? "tr-new" : state, choose });
    });
    const title = once("row", 0, () => el("h2", {}, "Tavern row"));
    fill(parts.row, [title, tiles("row", list, "Empty.")]);
  }

  function paintActive() {
    const { view, before } = shown;
    const { request } = view;
    const { question } = asking;
    const seat = mover();
    const seen = view.seats[view.player];
    parts.active.style.setProperty("--seat", seat === null ? "var(--line)" : kit.seat(seat).colour);
    const turn = view.turn ? `turn ${view.turn}` : "the draft";
    const title = seat === null ? "The match is over" : `${names[seat]}: ${turn}`;
    const counters = [["Coins", seen.coins], ["Power", seen.power], ["Patron calls", seen.patron_calls]];
    const asked = !question && (request?.type === "choose-request" && `${titleOf(request.source)}: ${asks[request.follow_up]}`);
    const inside = [
      el("h2", { class: question ? "unseen" : null }, seat !== null && glyph(seat), title),
      view.turn > 0 && el("dl", { class: "tr-counters" }, counters.map(([name, number]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(number))))),
      !question && el("p", { class: "tr-told" }, shown.more.ended ? "" : describe(view, before)),
      asked && el("p", { class: "tr-question" }, asked),
      request && !request.actions && zone("Choose from", offered(request), ""),
    ];
    if (request?.upcoming?.length) {
      inside.push(el("p", { class: "tr-told" }, `Still to come: effects of ${request.upcoming.map(({ source }) => nameOf(source.card)).join(", ")}`));
    }
    if (view.turn) {
      if (seen.hand) {
        const hand = tally(seen.hand.map(({ card }) => card)).map(([card, times]) => {
          const { uid } = seen.hand.find((held) => held.card === card);
          return cardTile(`hand ${card}`, card, { times, ...doable(uid) });
        });
        inside.push(zone("Hand", hand, "No cards."));
      }
      const own = zone("Agents", [], "");
      fill(own, [own.firstChild, agents(view.player)]);
      if (!question || seen.agents.length) inside.push(own);
      const played = question ? [] : tally(seen.played.map(({ card }) => card)).map(([card, times]) => cardTile(`played ${card}`, card, { times }));
      inside.push(question ? el("div", {}, chips(seen.played)) : zone("Played", played, "No cards."));
    }
    fill(parts.buttons, question ? buttonsBelow() : []);
    fill(parts.active, inside.filter(Boolean));
  }

  /** What has no place on the table. */
  function buttonsBelow() {
    const rest = asking.question.choices.map(({ key, name }, index) => key && button(index, name)).filter(Boolean);
    return [...rest, ...asking.ends("Choose these", "tr-main")];
  }

  /** Among what is to be chosen: patrons, cards, or the two effects of a card. */
  function offered(request) {
    const { question, picks } = asking;
    const choose = (index) => {
      if (!question) return undefined;
      const picked = picks.includes(index);
      const toggles = question.most > 1 ? { "aria-pressed": String(picked) } : {};
      return button(index, picked ? "Chosen" : "Choose", toggles);
    };
    const state = (index) => (question && picks.includes(index) ? "tr-new" : "");
    if (request.available) {
      return request.available.map((patron, index) => patronTile(`offer ${index}`, patron, { choose: choose(index), state: state(index) }));
    }
    if (request.effects.length && question) {
      return question.choices.map(({ name, cells }, index) => tile(`offer ${index}`, { name, lines: cells, choose: choose(index) }));
    }
    if (request.effects.length) {
      return [cardTile("offer", request.source.card, {})];
    }
    const places = placesOf(shown.view);
    return request.cards.map(({ uid, card }, index) => {
      const [zone] = places.get(uid) || [""];
      return cardTile(`offer ${index}`, card, { notes: [ZONES[zone]], choose: choose(index), state: state(index) });
    });
  }

  function paintPiles() {
    const { view } = shown;
    const lists = view.seats.map((seen, seat) => {
      const piles = seen.hand ? [["Draw pile", seen.draw_pile], ...(seen.known.length ? [["Its known top", seen.known]] : [])] : [["Hand and draw pile", seen.hand_and_draw]];
      return pilesOf(seat, [glyph(seat), names[seat]], [...piles, ["Cooldown pile", seen.cooldown]]);
    });
    fill(parts.piles, [...lists, pilesOf("tavern", ["Tavern"], [["Tavern deck", view.tavern_deck]])]);
  }

  /** Piles as their numbers; a list opens on demand, and stays open. */
  function pilesOf(owner, title, piles) {
    const box = once(`piles ${owner}`, 0, () => el("article", { class: "tr-strip", style: { "--seat": owner in header.seats ? kit.seat(owner).colour : "var(--line)" } }, el("h2", {}, title)));
    fill(box, [box.firstChild, ...piles.map(([name, list]) => {
      const place = `${name} ${owner}`;
      const pile = once(`pile ${place}`, 0, () => el("details", { ontoggle: () => paint() }));
      const number = once(`number ${place}`, list.length, () => el("summary", {}, `${name} ${list.length}`));
      fill(pile, pile.open ? [number, once(`chips ${place}`, list, () => chips(list))] : [number]);
      return pile;
    })]);
    return box;
  }

  // --- what others call ----------------------------------------------------------------------------

  function paint() {
    const isWide = (shown.more.width || table.clientWidth) >= 520;
    const order = isWide ? ["seats", "patrons", "row", "active", "buttons", "piles"] : ["active", "row", "patrons", "seats", "buttons", "piles"];
    const laid = shown.view.turn ? order : order.filter((name) => !["row", "piles"].includes(name)); // not in the draft
    asking.keepFocus(() => {
      fill(table, laid.map((name) => parts[name]));
      findActions();
      paintSeats();
      paintPatrons();
      paintRow();
      paintActive();
      paintPiles();
    });
  }

  function draw(view, before, more) {
    shown = { view, before, more: more || {} };
    paint();
  }

  /** What happened between two views, as far as these eyes saw it: one sentence. */
  function describe(view, before) {
    if (!before) return "The match begins.";
    const said = view.picked.slice(before.picked.length).map((patron) => `${names[before.player]} picks ${patronOf(patron).name}`);
    const isSame = view.turn === before.turn;
    if (before.row.length) said.push(...moves(view, before, isSame));
    view.seats.forEach((seen, seat) => {
      const was = before.seats[seat];
      const got = ["coins", "power", "prestige"].map((what) => {
        const change = seen[what] - was[what];
        return change && (isSame || what === "prestige") ? `${what} ${signed(change)}` : "";
      }).filter(Boolean);
      if (got.length && before.row.length) said.push(`${names[seat]}: ${got.join(", ")}`);
    });
    for (const [patron, player] of Object.entries(before.favours)) {
      const now = view.favours[patron];
      const seat = header.seats.findIndex(({ id }) => id === now);
      if (now !== player) said.push(seat < 0 ? `${patronOf(patron).name} is neutral` : `${patronOf(patron).name} favours ${names[seat]}`);
    }
    if (!isSame) said.push(`${names[view.player]} begins turn ${view.turn}`);
    return `${said.join("; ") || "Nothing has moved"}.`;
  }

  /** What happened to cards that changed their places: "Ann plays Gold, Peck". */
  function moves(view, before, isSame) {
    const was = placesOf(before);
    const now = placesOf(view);
    const told = new Map(); // who does what -> names of cards
    for (const uid of new Set([...was.keys(), ...now.keys()])) {
      const [from, owner, known] = was.get(uid) || ["new"];
      const [to, seat, card] = now.get(uid) || ["gone"];
      const verb = MOVES[`${from} ${to}`] || (from === "agents" && to === from && isSame && changed(known, card));
      if (verb && (isSame || verb !== "discards")) { // at the end of a turn all of a hand goes
        const key = `${names[owner ?? seat]} ${verb} `;
        told.set(key, [...(told.get(key) || []), nameOf((card ?? known).card)]);
      }
    }
    const left = before.row.filter(({ uid }) => now.get(uid)?.[0] === "tavern").map(({ card }) => nameOf(card));
    return [...[...told].map(([key, list]) => key + listed(list)), ...(left.length ? [`back to the tavern deck: ${listed(left)}`] : [])];
  }

  const legend = [
    [el("span", { class: "tr-cost" }, 3), "costs 3 coins"],
    ...[["coin", "coins"], ["sword", "power"], ["star", "prestige"], ["card", "cards drawn"], ["bin", "cards destroyed"], ["shield", "health of an agent"]].map(([name, words]) => [kit.sign(name, 1), words]),
  ];

  return { legend, draw, describe, ask: (...asked) => asking.ask(...asked), picked: () => asking.picked(), unmount: () => table.remove() };
}

const ZONES = { hand: "in hand", agents: "agent", played: "played" };
const MOVES = { // from and to -> what its owner, or who has the turn, does with a card
  "hidden played": "plays", "hand played": "plays", "hidden agents": "plays", "hand agents": "plays",
  "hidden hand": "draws", "row cooldown": "gets", "row agents": "gets", "new cooldown": "gets",
  "hidden cooldown": "discards", "hand cooldown": "discards", "agents cooldown": "loses", "agents tavern": "loses",
  "hidden gone": "destroys", "hand gone": "destroys", "agents gone": "destroys", "played gone": "destroys",
};

/** uid -> where it is, whose it is (undefined: nobody's), and what it is. */
function placesOf(view) {
  const found = new Map();
  const add = (zone, list, seat) => list.forEach((card) => found.set(card.uid, [zone, seat, card]));
  add("row", view.row);
  add("tavern", view.tavern_deck);
  view.seats.forEach((seen, seat) => {
    add("hidden", seen.hand_and_draw, seat);
    add("hand", seen.hand || [], seat);
    for (const zone of ["cooldown", "played", "agents"]) add(zone, seen[zone], seat);
  });
  return found;
}

/** What happened to an agent that has stayed. */
function changed(was, now) {
  if (now.activated && !was.activated) return "activates";
  return now.hp === was.hp ? "" : now.hp > was.hp ? "heals" : "still has";
}

function signed(change) {
  return `${change > 0 ? "+" : "−"}${Math.abs(change)}`;
}

"""A second implementation of the rules of Scripts of Tribute, written only from the page.

`Game` is a state machine that waits at `request`. `answer` takes the reply (a JSON object,
`NO_OBJECT` or `LEFT`) and continues to the next request or to the `outcome`. `events` collects the
public messages and the faults. Section numbers in parentheses are those of the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Generator as Steps
from dataclasses import dataclass, field

from tests.games.tribute.second.cards import (
    BOARDING_PARTY_SET,
    TREASURY,
    Card,
    Definition,
    Effect,
    Entry,
    Json,
    Options,
    card_set,
    generators,
)

SEATS = ("player1", "player2")
AGENT = "AGENT"
CONTRACT_AGENT = "CONTRACT_AGENT"
CONTRACT_ACTION = "CONTRACT_ACTION"
MORIHAUS = ("MORIHAUS_SACRED_BULL", "MORIHAUS_THE_ARCHER")
ROW = 5
HAND = 5

Source = Card | str | None
Asking = Steps["Request", object, None]


class Left:
    """Stands in for the reply of a seat that has left the match."""


class NoObject:
    """The type of `NO_OBJECT`, which replaces a line that isn't a JSON object."""


LEFT = Left()
NO_OBJECT = NoObject()


@dataclass(frozen=True)
class Request:
    """A request to seat 0 or 1, and its message."""

    seat: int
    message: Json


@dataclass(frozen=True)
class Fault:
    """A mistake in a reply, with its code and section (14.5)."""

    seat: int
    code: str
    section: str


@dataclass(frozen=True)
class Outcome:
    """Why the game ended; winners are seats."""

    reason: str
    winners: tuple[int, ...]

    @property
    def ranks(self) -> list[int]:
        if not self.winners:
            return [1, 1]  # Both have left, so they share the only rank.
        return [1 if seat in self.winners else 2 for seat in (0, 1)]


class _Over(Exception):
    def __init__(self, reason: str, *winners: int) -> None:
        self.outcome = Outcome(reason, winners)


@dataclass(eq=False)
class Agent:
    """An agent in play."""

    card: Card
    hp: int
    activated: bool = True

    def json(self) -> Json:
        return {
            "uid": self.card.uid,
            "card": self.card.of.id,
            "hp": self.hp,
            "activated": self.activated,
        }


@dataclass(eq=False)
class Player:
    """The cards and points of one player. The first card of `pile` is its top."""

    seat: int
    coins: int
    hand: list[Card] = field(default_factory=list)
    pile: list[Card] = field(default_factory=list)
    known: int = 0  # number of cards on top of the pile that the player knows
    played: list[Card] = field(default_factory=list)
    cooldown: list[Card] = field(default_factory=list)
    agents: list[Agent] = field(default_factory=list)
    power: int = 0
    prestige: int = 0
    calls: int = 1
    turns: int = 0

    @property
    def agent_cards(self) -> list[Card]:
        return [agent.card for agent in self.agents]

    @property
    def owned(self) -> int:
        zones = (self.hand, self.pile, self.played, self.agents, self.cooldown)
        return sum(len(zone) for zone in zones)

    def destroy(self, card: Card) -> None:
        """Remove a card from the hand, the agents or the played cards."""
        for zone in (self.hand, self.played):
            if card in zone:
                zone.remove(card)
        self.agents = [agent for agent in self.agents if agent.card is not card]


@dataclass(frozen=True)
class Waiting:
    """An effect in the queue. If it has two parts, the player chooses one of them."""

    source: Card
    level: int
    parts: tuple[Effect, ...]

    def json(self) -> Json:
        effect = " OR ".join(str(part) for part in self.parts)
        return {"source": self.source.json(), "level": self.level, "effect": effect}


def _in_list(cards: Iterable[Card]) -> list[Json]:
    return [card.json() for card in cards]


def _as_set(cards: Iterable[Card]) -> list[Json]:
    return _in_list(sorted(cards, key=lambda card: (card.of.number, card.uid)))


def _source(source: Source) -> object:
    return source.json() if isinstance(source, Card) else source


def integer(value: object) -> int | None:
    """Return an integer as JSON defines it. 3 and 3.0 are integers, and true isn't (14.4)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value and abs(value) != float("inf") and value % 1 == 0 else None


class Game:
    """One game.

    Attributes:
        request: what is asked now; None once the game is over.
        outcome: None until then.
        events: public messages and faults, oldest first; whoever reads them empties the list.
        turn: turns begun.
        generators: of the tavern, player 1 and player 2.
    """

    def __init__(
        self, options: Options, seed: int, names: Sequence[str], absent: Iterable[int] = ()
    ) -> None:
        self.options = options
        self.set = card_set(options.cards)
        self.generators = generators(seed, options.chance)
        self.events: list[Json | Fault] = []
        self.players = [Player(0, 0), Player(1, 1)]
        self.turn = 0
        self.on_turn = 0
        self.table: list[str] = []
        self.favours: dict[str, int | None] = {}
        self.row: list[Card] = []
        self.deck: list[Card] = []  # the tavern deck, with its top first
        self.next_uid = 10000
        self.queue: list[Waiting] = []
        self.later: list[Waiting] = []  # discards that the opponent must make in its next turn
        self.counters: Counter[str] = Counter()
        self.lists: dict[str, list[list[Waiting]]] = {}
        self.settle: Callable[[], None] | None = None  # finishes a purchase after its effects (3.5)
        self.outcome: Outcome | None = None
        self.request: Request | None = None
        self._steps = self._game(names, frozenset(absent))
        self._advance(None)

    def answer(self, reply: object) -> None:
        """Continue with the reply to `request`, which is a JSON object, `NO_OBJECT` or `LEFT`."""
        assert self.request is not None
        self._advance(reply)

    def _advance(self, reply: object) -> None:
        try:
            self.request = self._steps.send(reply)
        except _Over as over:
            self.request = None
            self.outcome = over.outcome

    # --- the course of the game -------------------------------------------------------------------

    def _game(self, names: Sequence[str], absent: frozenset[int]) -> Asking:
        self._tell_options(names)
        if absent:
            left = [seat for seat in (0, 1) if seat not in absent]
            raise _Over("last-player-standing" if left else "no-players", *left)
        yield from self._draft()
        self._set_up()
        while True:
            self.turn += 1
            yield from self._turn()
            self.on_turn = 1 - self.on_turn

    def _tell_options(self, names: Sequence[str]) -> None:
        options = self.options
        decks = {*options.offered, TREASURY}
        table = [card.row() for card in self.set.cards.values() if card.deck in decks]
        self._tell(
            "game-info",
            cards=options.cards,
            patrons=list(options.offered),
            max_turns=options.max_turns,
            max_actions=options.max_actions,
            chance=options.chance,
            card_table=table,
            player_bot_names=list(names),
            game="tribute",
        )

    def _draft(self) -> Asking:
        """Let the players pick patrons in turn (2.1)."""
        picked: list[str] = []
        for seat, number in ((0, 1), (1, 1), (1, 2), (0, 2)):
            available = [patron for patron in self.options.offered if patron not in picked]
            message: Json = {
                "type": "patron-request",
                "round": number,
                "available": available,
                "picked": list(picked),
            }
            reply = yield Request(seat, message)
            patron = self._typed(seat, reply, "patron-reply", "bad-patron").get("patron")
            if not isinstance(patron, str):
                self._lose(seat, "bad-format", "5.4", "bad-patron")
            elif patron not in available:
                self._lose(seat, "bad-patron", "5.1", "bad-patron")
            else:
                picked.append(patron)
                self._tell("patron-picked", seat, patron=patron, round=number)
        self.table = [*picked[:2], TREASURY, *picked[2:]]
        self.favours = dict.fromkeys(self.table)

    def _set_up(self) -> None:
        """Create the cards, shuffle them and deal the first hands (2.2 to 2.4)."""
        for definition in self.set.cards.values():
            if definition.deck in self.table:
                for _ in range(definition.tavern_copies):
                    self.deck.append(self._new(definition))
        starters: list[list[Card]] = [[], []]
        for patron in self.table:
            card, copies = self.set.starters[patron]
            for cards in starters:
                cards += [self._new(self.set.cards[card]) for _ in range(copies)]
        tavern, *own = self.generators
        self.deck = tavern.shuffled(tavern.shuffled(self.deck))
        self.row, self.deck = self.deck[:ROW], self.deck[ROW:]
        for player, cards, generator in zip(self.players, starters, own, strict=True):
            shuffled = generator.shuffled(cards)
            player.hand, player.pile = shuffled[:HAND], shuffled[HAND:]
        self._tell(
            "table-set",
            patrons=list(self.table),
            row=_in_list(self.row),
            tavern_deck=_as_set(self.deck),
            starters=[_as_set(cards) for cards in starters],
        )

    def _turn(self) -> Asking:
        """Play a turn (3). Returns when the next turn begins."""
        me = self.me
        me.turns += 1
        me.coins += self.favours.get("ANSEI") == me.seat
        self._tell("turn-started", turn=self.turn, player_number=SEATS[me.seat], coins=me.coins)
        self.queue, self.later = self.later, []
        self.counters = Counter()
        self.lists = {patron: [[], [], [], []] for patron in self.table}
        yield from self._work()
        done = 0
        while True:
            actions = self._actions(done)
            message = {
                "type": "play-turn",
                "turn": self.turn,
                "state": self._state(),
                "actions": actions,
            }
            reply = yield Request(me.seat, message)
            action = self._read_action(reply, actions)
            self._tell("action", me.seat, action=action)
            if action["type"] == "end-turn":
                self._end_turn()
                return
            done += 1
            yield from self._act(action)

    def _actions(self, done: int) -> list[Json]:
        """List the legal actions in the order of the page (3.1, 3.8)."""
        me, other = self.me, self.other
        actions: list[Json] = []

        def add(kind: str, card: Card) -> None:
            actions.append({"type": kind, "card": card.uid})

        if done < self.options.max_actions:
            for card in me.hand:
                add("play-card", card)
            for agent in me.agents:
                if not agent.activated:
                    add("activate-agent", agent.card)
            if me.power > 0:
                taunting = [agent for agent in other.agents if agent.card.of.taunt]
                for agent in taunting or other.agents:
                    add("attack", agent.card)
            if me.coins > 0:
                for card in self.row:
                    if card.of.cost <= me.coins:
                        add("buy-card", card)
            if me.calls > 0:
                actions += [
                    {"type": "call-patron", "patron": patron}
                    for patron in self.table
                    if self._callable(patron)
                ]
        return [*actions, {"type": "end-turn"}]

    def _act(self, action: Json) -> Asking:
        kind = action["type"]
        if kind == "call-patron":
            yield from self._call(action["patron"])
            return
        if kind == "play-card":
            card = _by_uid(self.me.hand, action["card"])
            self.me.hand.remove(card)
            if card.of.type == AGENT:
                self._enlist(card)
            else:
                self.me.played.append(card)
            self._trigger(card)
        elif kind == "activate-agent":
            agent = next(a for a in self.me.agents if a.card.uid == action["card"])
            agent.activated = True
            self._trigger(agent.card)
        elif kind == "attack":
            self._attack(next(a for a in self.other.agents if a.card.uid == action["card"]))
        else:
            self._buy(_by_uid(self.row, action["card"]))
        yield from self._work()

    def _attack(self, agent: Agent) -> None:
        """Attack an agent with as much power as possible (3.4)."""
        damage = self._hit(agent)
        self._event("attack-agent", None, agent.card, damage)
        if agent.hp == 0:
            self._event("agent-death", None, agent.card)

    def _hit(self, agent: Agent) -> int:
        damage = min(self.me.power, agent.hp)
        self.me.power -= damage
        agent.hp -= damage
        if agent.hp == 0:
            self._knock_out(self.other, agent.card)
        return damage

    def _buy(self, card: Card) -> None:
        """Buy a card (3.5). Refill and payment wait for the first choice or the last effect."""
        place = self.row.index(card)
        self.row.remove(card)
        if self._get(card):
            self._trigger(card)

        def settle() -> None:
            self._refill(place)
            self.me.coins -= card.of.cost

        self.settle = settle

    def _get(self, card: Card) -> bool:
        """Put a bought or acquired card where it belongs. Returns True for a contract."""
        if card.of.type == CONTRACT_AGENT:
            self._enlist(card)
        elif card.of.type == CONTRACT_ACTION:
            self.deck.append(card)
        else:
            self.me.cooldown.append(card)
            return False
        return True

    def _end_turn(self) -> None:
        """End the turn (3.6), which also ends the match if the turn limit is reached (9)."""
        me, other = self.me, self.other
        if self.turn == self.options.max_turns + 1:
            raise _Over("turn-limit", 0, 1)
        for agent in [agent for agent in other.agents if agent.card.of.taunt]:
            damage = self._hit(agent)
            if damage:
                self._event("agent-hit", None, agent.card, damage)
        me.prestige += me.power
        me.coins = me.power = 0
        discarded = [*me.hand, *me.played]
        me.hand, me.played = [], []
        me.cooldown += discarded
        self._tell(
            "turn-ended",
            turn=self.turn,
            player_number=SEATS[me.seat],
            discarded=_in_list(discarded),
            prestige=[player.prestige for player in self.players],
        )
        self._draw(HAND)
        me.calls = 1
        for agent in me.agents:
            agent.activated = False
        if me.prestige >= 80:
            raise _Over("prestige-80", me.seat)
        if all(self.favours[patron] == me.seat for patron in self.table if patron != TREASURY):
            raise _Over("patron-favour", me.seat)
        if other.prestige >= 40 and other.prestige > me.prestige:
            raise _Over("prestige-40", other.seat)

    # --- what cards do ----------------------------------------------------------------------------

    def _trigger(self, card: Card) -> None:
        """Count a card for its deck, and queue the effects that this triggers (4.2 to 4.4)."""
        deck = card.of.deck
        lists = self.lists[deck]
        for level, entry in enumerate(card.of.entries):
            if entry is not None:
                lists[level] += _parts(card, level + 1, entry)
        self.counters[deck] = min(4, self.counters[deck] + 1)
        for waiting in lists[: self.counters[deck]]:
            for one in waiting:
                (self.later if one.parts[0].verb == "OPP_DISCARD" else self.queue).append(one)
            waiting.clear()

    def _work(self) -> Asking:
        """Carry out the queued effects in order, and then finish a purchase."""
        while self.queue:
            waiting = self.queue.pop(0)
            effect = waiting.parts[0]
            if len(waiting.parts) == 2:
                index = yield from self._choose_effect(waiting)
                effect = waiting.parts[index]
            yield from self._carry_out(waiting.source, waiting.level, effect)
        self._settle()

    def _settle(self) -> None:
        settle, self.settle = self.settle, None
        if settle is not None:
            settle()

    def _carry_out(self, card: Card, level: int, effect: Effect) -> Asking:
        """Carry out one effect of a card (5)."""
        me, other, n = self.me, self.other, effect.amount

        def choose(
            follow_up: str, cards: Sequence[Card], least: int, most: int
        ) -> Steps[Request, object, list[Card]]:
            return self._choose(follow_up, card, level, list(cards), least, most)

        match effect.verb:
            case "GAIN_COIN":
                self._gain_coins(n, card)
            case "GAIN_POWER":
                self._gain_power(n, card)
            case "GAIN_PRESTIGE":
                self._gain_prestige(n, card)
            case "OPP_LOSE_PRESTIGE":
                other.prestige = max(0, other.prestige - n)
                self._event("opp-lose-prestige", card, None, n)
            case "DRAW":
                self._draw(n)
                self._event("draw", card, None, n)
            case "PATRON_CALL":
                me.calls += n
                self._event("add-patron-calls", card, None, n)
            case "HEAL":
                for agent in me.agents:
                    if agent.card is card:
                        assert card.of.hp is not None
                        agent.hp = min(card.of.hp, agent.hp + n)
                        self._event("heal-agent", card, card, n)
            case "CREATE_SUMMERSET_SACKING" | "CREATE_MAORMER_BOARDING_PARTY":
                for _ in range(n):
                    self._create_for_orgnum(card)
            case "KNOCKOUT_ALL":
                for player in (me, other):
                    for fallen in player.agent_cards:
                        self._knock_out(player, fallen)
                self._event("knockout-all", None, card)
            case "OPP_DISCARD":
                if me.hand:
                    m = min(n, len(me.hand))
                    cards = yield from choose("discard-cards", me.hand, m, m)
                    self._discard(cards)
                    self._events("discard", card, cards)
            case "REPLACE_TAVERN":
                cards = yield from choose("replace-cards-in-tavern", self.row, 0, n)
                for out in cards:
                    place = self.row.index(out)
                    self.row.remove(out)
                    self._refill(place)
                    self.deck.append(out)
                self._events("replace-tavern", card, cards)
            case "ACQUIRE_TAVERN":
                cheap = [c for c in self.row if c.of.cost <= n]
                for got in (yield from choose("acquire-cards", cheap, 0, 1)):
                    place = self.row.index(got)
                    self.row.remove(got)
                    contract = self._get(got)
                    self._event("acquire-card", card, got)
                    self._refill(place)
                    if contract:
                        self._trigger(got)
            case "DESTROY_CARD":
                listed = [*me.hand, *me.agent_cards, *me.played]
                cards = yield from choose("destroy-cards", listed, 0, n)
                for gone in cards:
                    me.destroy(gone)
                self._events("destroy-card", card, cards)
            case "RETURN_TOP" | "RETURN_AGENT_TOP":
                listed = [
                    c for c in me.cooldown if effect.verb == "RETURN_TOP" or c.of.type == AGENT
                ]
                cards = yield from choose("refresh-cards", listed, 0, min(n, len(listed)))
                self._return(cards, card)
            case "TOSS":
                self._prepare(n)
                top = me.pile[:n]
                me.known = max(me.known, len(top))  # The player sees these cards while it decides.
                cards = yield from choose("toss-cards", top, 0, len(top))
                me.known -= len(cards)
                for tossed in cards:
                    me.pile.remove(tossed)
                    me.cooldown.append(tossed)
                self._events("toss", card, cards)
            case "KNOCKOUT":
                m = min(n, len(other.agents))
                cards = yield from choose("knockout-agents", other.agent_cards, m, m)
                self._pay_morihaus(cards)
                contracts = [c for c in cards if c.of.type == CONTRACT_AGENT]
                ordered = contracts + [c for c in cards if c.of.type != CONTRACT_AGENT]
                for fallen in ordered:
                    self._knock_out(other, fallen)
                self._events("knockout", card, ordered)
            case "DONATE":
                cards = yield from choose("donate", me.hand, 0, n)
                self._discard(cards)
                self._events("discard", card, cards)
                self._draw(len(cards))
                self._event("draw", card, None, len(cards))
            case verb:
                raise AssertionError(verb)

    def _pay_morihaus(self, falling: Sequence[Card]) -> None:
        """Pay a coin for each Morihaus in play, except those being knocked out (8.3)."""
        for player in (self.me, self.other):
            for card in player.agent_cards:
                if card.of.id in MORIHAUS and card not in falling:
                    player.coins += 1
                    self._event("gain-coin", card, None, 1, seat=player.seat)

    # --- patrons (7) ------------------------------------------------------------------------------

    def _callable(self, patron: str) -> bool:
        me = self.me
        mine = self.favours[patron] == me.seat
        match patron:
            case "ANSEI":
                return me.power >= 2 and not mine
            case "DUKE_OF_CROWS":
                return me.coins > 0 and not mine
            case "HLAALU":
                return bool(self._sellable())
            case "ORGNUM" | "RAJHIN":
                return me.coins >= 3
            case "PELIN":
                return me.power >= 2 and any(card.of.type == AGENT for card in me.cooldown)
            case "PSIJIC":
                return me.coins >= 4 and bool(self.other.agents)
            case "RED_EAGLE":
                return me.power >= 2
            case "SAINT_ALESSIA":
                return me.coins >= 4
            case "TREASURY":
                return me.coins >= 2 and bool(me.played or me.hand or me.agents)
        raise AssertionError(patron)

    def _sellable(self) -> list[Card]:
        me = self.me
        return [c for c in (*me.hand, *me.played, *me.agent_cards) if c.of.cost >= 1]

    def _call(self, patron: str) -> Asking:
        me, other = self.me, self.other
        me.calls -= 1
        before = self.favours[patron]
        if patron != TREASURY:
            self.favours[patron] = None if before == other.seat and patron != "ANSEI" else me.seat

        def choose(cards: list[Card]) -> Steps[Request, object, Card]:
            name = {"PELIN": "pellin"}.get(patron, patron.lower())
            chosen = yield from self._choose(f"complete-{name}", patron, 0, cards, 1, 1)
            return chosen[0]

        match patron:
            case "ANSEI":
                self._gain_power(-2, patron)
                self._gain_coins(1, patron)
            case "DUKE_OF_CROWS":
                coins = me.coins
                self._gain_power(coins - 1, patron)
                self._gain_coins(-coins, patron)
            case "HLAALU":
                card = yield from choose(self._sellable())
                me.destroy(card)
                self._event("destroy-card", patron, card)
                self._gain_prestige(card.of.cost - 1, patron)
            case "ORGNUM":
                self._gain_coins(-3, patron)
                if before == me.seat:
                    self._gain_power(me.owned // 4, patron)
                    self._create_for_orgnum(patron)
                else:
                    self._gain_power(me.owned // 6 if before is None else 2, patron)
            case "PELIN":
                self._gain_power(-2, patron)
                card = yield from choose([c for c in me.cooldown if c.of.type == AGENT])
                self._return([card], patron)
            case "PSIJIC":
                self._gain_coins(-4, patron)
                card = yield from choose(other.agent_cards)
                self._knock_out(other, card)
                self._event("knockout", patron, card)
            case "RAJHIN":
                self._gain_coins(-3, patron)
                self._create("BEWILDERMENT", other, "add-bewilderment-to-opponent", patron)
            case "RED_EAGLE":
                me.power -= 2
                self._draw(1)
                self._event("gain-power", patron, None, -2)
                self._event("draw", patron, None, 1)
            case "SAINT_ALESSIA":
                self._gain_coins(-4, patron)
                if before == me.seat:
                    self._create("CHAINBREAKER_SERGEANT", me, "add-chainbreaker-sergeant", patron)
                elif before is None:
                    self._create("SOLDIER_OF_THE_EMPIRE", me, "add-soldier-of-the-empire", patron)
                else:
                    self._gain_power(2, patron)
            case "TREASURY":
                self._gain_coins(-2, patron)
                card = yield from choose([*me.played, *me.hand, *me.agent_cards])
                me.destroy(card)
                self._event("destroy-card", patron, card)
                self._create("WRIT_OF_COIN", me, "add-writ-of-coin", patron)

    def _create_for_orgnum(self, source: Source) -> None:
        if self.set.name == BOARDING_PARTY_SET:
            self._create("MAORMER_BOARDING_PARTY", self.me, "add-boarding-party", source)
        else:
            self._create("SUMMERSET_SACKING", self.me, "add-summerset-sacking", source)

    def _create(self, card: str, owner: Player, kind: str, source: Source) -> None:
        new = self._new(self.set.cards[card])
        owner.cooldown.append(new)
        self._event(kind, source, new)

    # --- moving cards and figures -----------------------------------------------------------------

    @property
    def me(self) -> Player:
        return self.players[self.on_turn]

    @property
    def other(self) -> Player:
        return self.players[1 - self.on_turn]

    def _new(self, definition: Definition) -> Card:
        self.next_uid += 1
        return Card(self.next_uid - 1, definition)

    def _enlist(self, card: Card) -> None:
        assert card.of.hp is not None
        self.me.agents.append(Agent(card, card.of.hp))

    def _knock_out(self, owner: Player, card: Card) -> None:
        owner.agents = [agent for agent in owner.agents if agent.card is not card]
        (self.deck if card.of.type == CONTRACT_AGENT else owner.cooldown).append(card)

    def _discard(self, cards: Sequence[Card]) -> None:
        for card in cards:
            self.me.hand.remove(card)
            self.me.cooldown.append(card)

    def _return(self, cards: Sequence[Card], source: Source) -> None:
        me = self.me
        for card in cards:
            me.cooldown.remove(card)
            me.pile.insert(0, card)
        me.known += len(cards)
        self._events("refresh", source, cards)

    def _refill(self, place: int) -> None:
        card = self.deck.pop(0) if self.deck else None
        if card is not None:
            self.row.insert(place, card)
        self._tell("row-refilled", place=place, card=_source(card))

    def _prepare(self, n: int) -> None:
        """If fewer than n cards are left to draw, shuffle the cooldown pile below them (3.7)."""
        me = self.me
        if len(me.pile) < n and me.cooldown:
            me.pile += self.generators[1 + me.seat].shuffled(me.cooldown)
            me.cooldown = []
            self._tell("player-shuffled", me.seat)

    def _draw(self, n: int) -> None:
        me = self.me
        self._prepare(n)
        drawn, me.pile = me.pile[:n], me.pile[n:]
        me.hand += drawn
        me.known = max(0, me.known - len(drawn))
        if drawn:
            self._tell("player-drew", me.seat, count=len(drawn))

    def _gain_coins(self, n: int, source: Source) -> None:
        self.me.coins += n
        self._event("gain-coin", source, None, n)

    def _gain_power(self, n: int, source: Source) -> None:
        self.me.power += n
        self._event("gain-power", source, None, n)

    def _gain_prestige(self, n: int, source: Source) -> None:
        self.me.prestige += n
        self._event("gain-prestige", source, None, n)

    # --- asking (14.3 to 14.5) --------------------------------------------------------------------

    def _choose(
        self, follow_up: str, source: Source, level: int, cards: list[Card], least: int, most: int
    ) -> Steps[Request, object, list[Card]]:
        """Let the player choose cards from a list. Returns them in the order of the list."""
        seat = self.me.seat
        reply = yield self._choice(follow_up, source, level, (least, most), cards, ())
        named = self._typed(seat, reply, "choose-reply", "illegal-reply").get("cards")
        uids = [integer(uid) for uid in named] if isinstance(named, list) else [None]
        if None in uids:
            self._lose(seat, "bad-format", "5.4", "illegal-reply")
        listed = {card.uid for card in cards}
        if len(set(uids)) < len(uids) or not listed.issuperset(uids):
            self._lose(seat, "illegal-choice", "5.3", "illegal-reply")
        if not least <= len(uids) <= most:
            self._lose(seat, "illegal-choice", "5.3", "illegal-reply")
        chosen = [card for card in cards if card.uid in uids]
        self._chosen(follow_up, source, chosen, None)
        return chosen

    def _choose_effect(self, waiting: Waiting) -> Steps[Request, object, int]:
        seat = self.me.seat
        follow_up = "enact-chosen-effect"
        reply = yield self._choice(
            follow_up, waiting.source, waiting.level, (1, 1), (), waiting.parts
        )
        index = integer(self._typed(seat, reply, "choose-reply", "illegal-reply").get("effect"))
        if index is None:
            self._lose(seat, "bad-format", "5.4", "illegal-reply")
        if index not in (0, 1):
            self._lose(seat, "illegal-choice", "5.3", "illegal-reply")
        self._chosen(follow_up, waiting.source, (), index)
        assert index is not None
        return index

    def _choice(
        self,
        follow_up: str,
        source: Source,
        level: int,
        bounds: tuple[int, int],
        cards: Sequence[Card],
        effects: Sequence[Effect],
    ) -> Request:
        self._settle()
        message = {
            "type": "choose-request",
            "turn": self.turn,
            "follow_up": follow_up,
            "source": _source(source),
            "level": level,
            "min": bounds[0],
            "max": bounds[1],
            "cards": _in_list(cards),
            "effects": [str(effect) for effect in effects],
            "upcoming": [waiting.json() for waiting in self.queue],
            "state": self._state(),
        }
        return Request(self.me.seat, message)

    def _chosen(
        self, follow_up: str, source: Source, cards: Sequence[Card], effect: int | None
    ) -> None:
        self._tell(
            "chosen",
            self.me.seat,
            follow_up=follow_up,
            source=_source(source),
            cards=_in_list(cards),
            effect=effect,
        )

    def _read_action(self, reply: object, actions: Sequence[Json]) -> Json:
        seat, reason = self.me.seat, "illegal-reply"
        fields = self._typed(seat, reply, "play-reply", reason)
        action = fields.get("action")
        if action is None:
            index = integer(fields.get("index"))
            if index is None:
                self._lose(seat, "bad-format", "5.4", reason)
            elif 0 <= index < len(actions):
                return actions[index]
            self._lose(seat, "illegal-action", "5.2", reason)
        meant: Json | None = None
        if isinstance(action, dict):
            match action.get("type"):
                case "end-turn":
                    meant = {"type": "end-turn"}
                case "call-patron" if isinstance(action.get("patron"), str):
                    meant = {"type": "call-patron", "patron": action["patron"]}
                case "play-card" | "activate-agent" | "attack" | "buy-card" as kind:
                    uid = integer(action.get("card"))
                    meant = None if uid is None else {"type": kind, "card": uid}
        if meant is None:
            self._lose(seat, "bad-format", "5.4", reason)
        elif meant in actions:
            return meant
        self._lose(seat, "illegal-action", "5.2", reason)
        raise AssertionError

    def _typed(self, seat: int, reply: object, kind: str, reason: str) -> Json:
        """Return the reply if it has this type. With any other reply the seat loses."""
        if isinstance(reply, Left):
            raise _Over("last-player-standing", 1 - seat)
        if not isinstance(reply, dict) or reply.get("type") != kind:
            self._lose(seat, "bad-format", "5.4", reason)
        assert isinstance(reply, dict)
        return reply

    def _lose(self, seat: int, code: str, section: str, reason: str) -> None:
        self.events.append(Fault(seat, code, section))
        raise _Over(reason, 1 - seat)

    def _state(self) -> Json:
        me, other = self.me, self.other
        return {
            "favours": {
                patron: None if seat is None else SEATS[seat]
                for patron, seat in self.favours.items()
            },
            "row": _in_list(self.row),
            "tavern_deck": _as_set(self.deck),
            "start_of_next_turn": [waiting.json() for waiting in self.later],
            "me": {
                "hand": _in_list(me.hand),
                "draw_pile": _as_set(me.pile),
                "known": _in_list(me.pile[: me.known]),
                "cooldown": _in_list(me.cooldown),
                "played": _in_list(me.played),
                "agents": [agent.json() for agent in me.agents],
                "coins": me.coins,
                "power": me.power,
                "prestige": me.prestige,
                "patron_calls": me.calls,
                "counters": {patron: self.counters[patron] for patron in self.table},
            },
            "opponent": {
                "hand_size": len(other.hand),
                "hand_and_draw": _as_set([*other.hand, *other.pile]),
                "cooldown": _in_list(other.cooldown),
                "played": _in_list(other.played),
                "agents": [agent.json() for agent in other.agents],
                "coins": other.coins,
                "power": other.power,
                "prestige": other.prestige,
            },
        }

    # --- telling (14.1) ---------------------------------------------------------------------------

    def _tell(self, kind: str, seat: int | None = None, /, **fields: object) -> None:
        message: Json = {"type": kind}
        if seat is not None:
            message["player_number"] = SEATS[seat]
        self.events.append({**message, **fields})

    def _event(
        self,
        kind: str,
        source: Source,
        target: Card | None,
        amount: int = 1,
        *,
        seat: int | None = None,
    ) -> None:
        self._tell(
            "event",
            self.me.seat if seat is None else seat,
            kind=kind,
            source=_source(source),
            target=_source(target),
            amount=amount,
        )

    def _events(self, kind: str, source: Source, cards: Iterable[Card]) -> None:
        for card in cards:
            self._event(kind, source, card)


def _parts(card: Card, level: int, entry: Entry) -> list[Waiting]:
    """Split an entry into effects: an AND becomes two, an OR becomes one with a choice (4.1)."""
    if entry.op == "or":
        return [Waiting(card, level, entry.parts)]
    return [Waiting(card, level, (part,)) for part in entry.parts]


def _by_uid(cards: Iterable[Card], uid: int) -> Card:
    return next(card for card in cards if card.uid == uid)

"""A second checker for Scripts of Tribute logs, written independently of the rules.

The public messages determine everything except the order of shuffled cards. So the checker knows
which message must come next, and it knows the possible messages for choices, shuffles and draws
from the tavern.

Cards from one shuffle can't be told apart until somebody sees them. A pile is therefore a list of
groups, top first: each position contains some card of its group, and so does each position of a
hand. After the first deviation nobody knows who has which cards, so only turns are checked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct

from referee.games.interface.capabilities import Finding
from referee.games.interface.faults import EndReason
from referee.games.interface.log_player import End, Gone
from referee.games.interface.seats import seat_id
from referee.games.tribute.rules.cards import MORIHAUS, PATRONS, TREASURY, CardSet, Kind, card_set
from referee.games.tribute.rules.messages import (
    Acted,
    AgentRef,
    CardRef,
    Chosen,
    Event,
    GameInfo,
    PatronPicked,
    PlayerDrew,
    PlayerShuffled,
    RowRefilled,
    TableSet,
    TurnEnded,
    TurnStarted,
    Waiting,
)
from referee.games.tribute.rules.view import SeatView, View

T = TypeVar("T", bound=Struct)
Reading: TypeAlias = Generator[None, None, T]
"""A generator that suspends itself until the next message has arrived."""
Steps: TypeAlias = Generator[None, None, None]
Due: TypeAlias = tuple[CardRef, int, str]
"""A waiting effect: its card, its level and its text."""
HAND, ROW, FIRST_UID, LEVELS = 5, 5, 10_000, 4
_PICKERS = (0, 1, 1, 0)
_MADE = {
    "add-summerset-sacking": "SUMMERSET_SACKING",
    "add-boarding-party": "MAORMER_BOARDING_PARTY",
    "add-chainbreaker-sergeant": "CHAINBREAKER_SERGEANT",
    "add-soldier-of-the-empire": "SOLDIER_OF_THE_EMPIRE",
    "add-bewilderment-to-opponent": "BEWILDERMENT",
    "add-writ-of-coin": "WRIT_OF_COIN",
}
_CREATES = {
    "CREATE_SUMMERSET_SACKING": "add-summerset-sacking",
    "CREATE_MAORMER_BOARDING_PARTY": "add-boarding-party",
}


class _DepartureError(Exception):
    """Raised for a message that the rules don't allow at this point."""


class Group:
    """Cards in unknown order. A pile or hand contains the group once for each of its cards."""

    __slots__ = ("cards",)

    def __init__(self, cards: Iterable[CardRef]) -> None:
        self.cards = {card.uid: card for card in cards}


class Agent:
    __slots__ = ("activated", "hp", "kind", "ref")

    def __init__(self, ref: CardRef, kind: Kind) -> None:
        self.ref, self.kind, self.hp = ref, kind, kind.hp
        self.activated = True


class Seat:
    """What the log shows of a player. Hand and draw pile consist of groups, the rest of cards."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.number = seat_id(seat)
        self.hand: list[Group] = []
        self.pile: list[Group] = []
        self.cooldown: list[CardRef] = []
        self.played: list[CardRef] = []
        self.agents: list[Agent] = []
        self.coins = self.power = self.prestige = 0
        self.calls = 1

    def owned(self) -> int:
        """The number of cards that the player owns."""
        piles: tuple[Sequence[Any], ...] = (self.hand, self.pile, self.cooldown, self.played)
        return sum(map(len, piles)) + len(self.agents)


class Checker:
    """Implements `referee.games.interface.capabilities.LogChecker` for Scripts of Tribute.

    Args:
        names: the players' names, in seat order.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._seats = [Seat(seat) for seat in range(len(_PICKERS) // 2)]
        self._me, self._other = self._seats
        self._set: CardSet = card_set("2025-04")
        self._refs: dict[int, CardRef] = {}
        self._row: list[CardRef] = []
        self._deck: list[Group] = []
        self._patrons: list[str] = []
        self._favours: dict[str, Seat | None] = {}
        self._queue: deque[Due] = deque()
        self._discards: list[Due] = []
        self._counters: dict[str, int] = {}
        self._waiting: dict[str, list[Due]] = {}
        # A purchase that isn't paid for yet: the place in the row, and the price.
        self._price: tuple[int, int] | None = None
        self._picked: list[str] = []
        self._number = 0
        self._asked: int | None = None  # the seat whose reply is due
        self._drafting = True
        self._over: tuple[str, Seat | None] | None = None
        self._gone: set[int] = set()
        self._sure = True  # False after the first deviation
        self._coming: deque[tuple[int, Struct]] = deque()
        self._line = 0
        self._found: list[Finding] = []
        self._script = self._match()
        next(self._script)

    def read(self, line: int, message: Struct) -> list[Finding]:
        """Read one of the game's public messages, `Gone` or `End`."""
        if isinstance(message, Gone):
            self._gone.add(message.seat)
            return self._taken()
        if isinstance(message, End):
            return self._read_end(line, message.scores, message.winners, message.reason)
        self._coming.append((line, message))
        self._script.send(None)
        return self._taken()

    def _read_end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        self._line = line
        if self._sure:
            with suppress(_DepartureError):
                self._check_end(list(scores), list(winners), reason)
        return self._taken()

    def view(self) -> View | None:
        """The same as `Game.view(PUBLIC)`, or None if messages of this decision are missing."""
        if not self._sure or (self._asked is None and self._over is None):
            return None
        favours = {p: None if who is None else who.number for p, who in self._favours.items()}
        counters = dict.fromkeys(self._favours, 0) | self._counters
        return View(
            self._number,
            self._me.seat,
            self._picked.copy(),
            favours,
            counters,
            self._row.copy(),
            self._as_set(_cards_of(self._deck)),
            [Waiting(*due) for due in self._discards],
            [self._seat_view(seat) for seat in self._seats],
            None,
            None,
        )

    def _seat_view(self, seat: Seat) -> SeatView:
        agents = [AgentRef(a.ref.uid, a.ref.card, a.hp, a.activated) for a in seat.agents]
        return SeatView(
            len(seat.hand),
            None,
            None,
            None,
            self._as_set(_cards_of(seat.hand + seat.pile)),
            seat.cooldown.copy(),
            seat.played.copy(),
            agents,
            seat.coins,
            seat.power,
            seat.prestige,
            seat.calls,
            (self._number + 1 - seat.seat) // len(self._seats),
        )

    @property
    def departed(self) -> bool:
        """True if the log contained a message that the rules don't allow."""
        return not self._sure

    def _taken(self) -> list[Finding]:
        found, self._found = self._found, []
        return found

    # --- reading --------------------------------------------------------------------------------

    def _take(self, kind: type[T], section: str) -> Reading[T]:
        """Read the next message, which must be of this kind and about the current player."""
        while not self._coming:
            yield
        self._line, message = self._coming.popleft()
        number = getattr(message, "player_number", self._me.number)
        if not isinstance(message, kind) or number != self._me.number:
            self._depart(section, f"{kind.__struct_config__.tag} of {self._me.number}", message)
        assert isinstance(message, kind)
        return message

    def _expect(self, *messages: Struct, section: str = "2.12") -> Steps:
        """Read the messages that must come next."""
        for should in messages:
            while not self._coming:
                yield
            self._line, message = self._coming.popleft()
            self._check(message == should, section, _shown(should), message)

    def _reply(self, kind: type[T], section: str) -> Reading[T]:
        """Read the result of a request. No more results are allowed once a player has left."""
        self._asked = self._me.seat
        message = yield from self._take(kind, section)
        self._asked = None
        self._check(not self._gone, "8.3", "the end of the match", message)
        return message

    def _depart(self, section: str, expected: str, found: object) -> None:
        """Record a finding and stop following the match in detail."""
        shown = found if isinstance(found, str) else _shown(found)
        self._found.append(Finding(self._line, section, expected, shown))
        self._sure = False
        raise _DepartureError

    def _check(self, holds: bool, section: str, expected: str, found: object) -> None:
        if not holds:
            self._depart(section, expected, found)

    def _event(
        self,
        kind: str,
        source: CardRef | str | None,
        target: CardRef | None = None,
        amount: int = 1,
    ) -> Steps:
        yield from self._expect(Event(self._me.number, kind, source, target, amount))

    # --- the match ------------------------------------------------------------------------------

    def _match(self) -> Steps:
        try:
            yield from self._draft()
            while self._over is None:
                yield from self._turn()
            while not self._coming:
                yield
            self._line, message = self._coming.popleft()
            self._depart("4.10", "the end of the match", message)
        except _DepartureError:
            pass
        yield from self._outline()

    def _outline(self) -> Steps:
        """Check only the turns, after the cards are no longer known."""
        ended: TurnEnded | None = None
        while True:
            while not self._coming:
                yield
            self._line, message = self._coming.popleft()
            if isinstance(message, TurnStarted) and ended is not None:
                turn, seat = ended.turn + 1, ended.turn % 2
                with suppress(_DepartureError):
                    right = (message.turn, message.player_number) == (turn, seat_id(seat))
                    self._check(right, "2.9", f"turn {turn} of {seat_id(seat)}", message)
                ended = None
            elif isinstance(message, TurnEnded):
                ended = message

    def _draft(self) -> Steps:
        info = yield from self._take(GameInfo, "2.3")
        self._check(info.player_bot_names == self._names, "2.3", f"names {self._names}", info)
        with suppress(KeyError):
            self._set = card_set(info.cards)
        self._check(info.cards == self._set.name, "2.3", "a card set", info.cards)
        there = [patron for patron in info.patrons if patron in PATRONS]
        right = there == info.patrons and {*there} <= {*self._set.starters}
        right = right and len(there) >= len(_PICKERS) and len({*there}) == len(there)
        self._check(right, "2.3", "patrons of the card set", str(info.patrons))
        table = [k.row for k in self._set.kinds.values() if k.deck in {*there, TREASURY}]
        self._check(info.card_table == table, "7.2", "the cards of the set", "another table")
        self._max_turns, self._max_actions = info.max_turns, info.max_actions
        picked = self._picked
        for place, seat in enumerate(_PICKERS):
            self._me = self._seats[seat]
            pick = yield from self._reply(PatronPicked, "2.7")
            free = [patron for patron in there if patron not in picked]
            self._check(pick.patron in free, "4.1", f"one of {', '.join(free)}", pick)
            self._check(pick.round == place // 2 + 1, "2.7", f"round {place // 2 + 1}", pick)
            picked.append(pick.patron)
        self._drafting = False
        self._patrons = [*picked[:2], TREASURY, *picked[2:]]
        self._favours = dict.fromkeys(self._patrons)
        self._me, self._other = self._seats
        yield from self._set_up()

    def _set_up(self) -> Steps:
        """Create the cards of the game and compare them with `table-set` (4.2)."""
        kinds = [kind for kind in self._set.kinds.values() if kind.deck in self._patrons]
        tavern = [self._new(kind.card) for kind in kinds for _ in range(kind.copies)]
        starters: list[list[CardRef]] = [[], []]
        for patron in self._patrons:
            for own in starters:
                own += [self._new(card) for card in self._set.starters[patron]]
        shown = yield from self._take(TableSet, "2.8")
        self._row = list(shown.row)
        group = Group(tavern)
        for card in self._row:
            self._check(group.cards.pop(card.uid, None) == card, "4.2", "a tavern card", card)
        self._check(len(self._row) == ROW, "4.2", f"{ROW} cards in the row", shown)
        deck = self._as_set(group.cards.values())
        sets = [self._as_set(own) for own in starters]
        should = TableSet(self._patrons, self._row, deck, sets)
        self._check(shown == should, "4.2", _shown(should), shown)
        self._deck = [group] * len(deck)
        for seat, own in zip(self._seats, starters, strict=True):
            dealt = [Group(own)] * len(own)
            seat.hand, seat.pile = dealt[:HAND], dealt[HAND:]
            seat.coins = seat.seat

    def _new(self, card: str) -> CardRef:
        ref = CardRef(FIRST_UID + len(self._refs), card)
        self._refs[ref.uid] = ref
        return ref

    def _as_set(self, cards: Iterable[CardRef]) -> list[CardRef]:
        return sorted(cards, key=lambda card: (self._kind(card).number, card.uid))

    def _kind(self, card: CardRef) -> Kind:
        return self._set.kinds[card.card]

    # --- a turn ---------------------------------------------------------------------------------

    def _turn(self) -> Steps:
        me, other = self._me, self._other
        self._number += 1
        me.coins += self._favours.get("ANSEI") is me
        started = TurnStarted(self._number, me.number, me.coins)
        yield from self._expect(started, section="2.9")
        self._counters, self._waiting = {}, {}
        self._queue.extend(self._discards)
        self._discards = []
        yield from self._work()
        actions = 0
        while True:
            acted = yield from self._reply(Acted, "2.10")
            if acted.action.type == "end-turn":
                break
            self._check(actions < self._max_actions, "4.3", "end-turn", acted)
            actions += 1
            yield from self._act(acted)
        if self._number > self._max_turns:
            self._over = EndReason.TURN_LIMIT, None
            return
        yield from self._clean_up()
        if me.prestige >= 80:
            self._over = "prestige-80", me
        elif all(who is me for patron, who in self._favours.items() if patron != TREASURY):
            self._over = "patron-favour", me
        elif other.prestige >= 40 and other.prestige > me.prestige:
            self._over = "prestige-40", other
        else:
            self._me, self._other = other, me

    def _clean_up(self) -> Steps:
        me, other = self._me, self._other
        for agent in [agent for agent in other.agents if agent.kind.taunt]:
            damage = self._hit(agent)
            if damage:
                yield from self._event("agent-hit", None, agent.ref, damage)
        me.prestige += me.power
        me.coins = me.power = 0
        ended = yield from self._take(TurnEnded, "2.16")
        size = len(me.hand)
        for card in ended.discarded[:size]:
            self._from_hand(card, "2.16")
        rest = ended.discarded[size:]
        right = not me.hand and rest == me.played
        self._check(right, "2.16", f"{size} of the hand, then {_shown(me.played)}", ended)
        prestige = [seat.prestige for seat in self._seats]
        should = TurnEnded(self._number, me.number, ended.discarded, prestige)
        self._check(ended == should, "2.16", _shown(should), ended)
        me.cooldown += ended.discarded
        me.played = []
        yield from self._draw(me, HAND)
        me.calls = 1
        for agent in me.agents:
            agent.activated = False

    def _act(self, acted: Acted) -> Steps:
        me, action = self._me, acted.action
        if action.type == "call-patron":
            yield from self._call(acted)
            return
        uid = 0 if action.card is UNSET else action.card
        ref = self._refs.get(uid, CardRef(uid, ""))
        match action.type:
            case "play-card":
                self._from_hand(ref, "4.3", acted)
                kind = self._kind(ref)
                if kind.is_agent:
                    me.agents.append(Agent(ref, kind))
                else:
                    me.played.append(ref)
                self._count(ref)
            case "activate-agent":
                agent = self._agent(me, ref, acted)
                self._check(not agent.activated, "4.3", "an agent not activated", acted)
                agent.activated = True
                self._count(ref)
            case "attack":
                agent = self._agent(self._other, ref, acted)
                taunt = agent.kind.taunt or not any(a.kind.taunt for a in self._other.agents)
                self._check(taunt, "4.6", "an attack on a taunt agent", acted)
                self._check(me.power > 0, "4.6", "no attack without power", acted)
                yield from self._event("attack-agent", None, ref, self._hit(agent))
                if not agent.hp:
                    yield from self._event("agent-death", None, ref)
            case "buy-card":
                self._check(ref in self._row, "4.7", "a card of the row", acted)
                kind = self._kind(ref)
                afford = 0 < me.coins >= kind.cost
                self._check(afford, "4.7", f"a price up to {me.coins}", acted)
                place = self._row.index(ref)
                del self._row[place]
                self._price = place, kind.cost
                if self._settle(ref):
                    self._count(ref)
            case _:
                self._depart("2.10", "an action", acted)
        yield from self._work()

    def _agent(self, owner: Seat, ref: CardRef, acted: Struct) -> Agent:
        for agent in owner.agents:
            if agent.ref == ref:
                return agent
        self._depart("4.3", f"an agent of {owner.number}", acted)
        raise AssertionError

    def _from_hand(self, card: CardRef, section: str, told: Struct | None = None) -> None:
        """Remove a card from the current player's hand, after checking that it can be there."""
        hand = self._me.hand
        for place, group in enumerate(hand):
            if group.cards.get(card.uid) == card:
                del group.cards[card.uid], hand[place]
                return
        self._depart(section, f"a card that {self._me.number} may have in hand", told or card)

    def _hit(self, agent: Agent) -> int:
        damage = min(self._me.power, agent.hp)
        self._me.power -= damage
        agent.hp -= damage
        if not agent.hp:
            self._knock_out(self._other, agent)
        return damage

    def _knock_out(self, owner: Seat, agent: Agent) -> None:
        owner.agents.remove(agent)
        if agent.kind.type == "CONTRACT_AGENT":
            self._deck.append(Group([agent.ref]))
        else:
            owner.cooldown.append(agent.ref)

    def _settle(self, ref: CardRef) -> bool:
        """Put a card from the row into play or a pile. Returns True if it acts at once (4.7)."""
        kind = self._kind(ref)
        if kind.type == "CONTRACT_ACTION":
            self._deck.append(Group([ref]))
        elif kind.type == "CONTRACT_AGENT":
            self._me.agents.append(Agent(ref, kind))
        else:
            self._me.cooldown.append(ref)
        return kind.type.startswith("CONTRACT")

    def _refill(self, place: int) -> Steps:
        filled = yield from self._take(RowRefilled, "2.13")
        self._check(filled.place == place, "2.13", f"place {place}", filled)
        card = filled.card
        if not self._deck:
            self._check(card is None, "4.7", "no card: the tavern deck is empty", filled)
            return
        group = self._deck.pop(0)
        known = card is not None and group.cards.pop(card.uid, None) == card
        self._check(known, "4.7", "a card that may be on top of the tavern deck", filled)
        assert card is not None
        self._row.insert(place, card)

    def _draw(self, player: Seat, count: int) -> Steps:
        yield from self._reach(player, count)
        drawn = player.pile[:count]
        if drawn:
            yield from self._expect(PlayerDrew(player.number, len(drawn)), section="2.15")
            player.hand += drawn
            del player.pile[:count]

    def _reach(self, player: Seat, count: int) -> Steps:
        if len(player.pile) < count and player.cooldown:
            yield from self._expect(PlayerShuffled(player.number), section="2.14")
            player.pile += [Group(player.cooldown)] * len(player.cooldown)
            player.cooldown = []

    # --- effects --------------------------------------------------------------------------------

    def _count(self, ref: CardRef) -> None:
        """Count a card for its deck's combo, and queue the effects that this triggers (4.4)."""
        kind = self._kind(ref)
        reached = self._counters[kind.deck] = min(self._counters.get(kind.deck, 0) + 1, LEVELS)
        waiting = self._waiting.setdefault(kind.deck, [])
        for level, text in enumerate(kind.row.effects, 1):
            waiting += [(ref, level, effect) for effect in text.split(" AND ") if effect]
        released = [due for due in waiting if due[1] <= reached]
        self._waiting[kind.deck] = [due for due in waiting if due[1] > reached]
        for due in sorted(released, key=lambda due: due[1]):
            later = due[2].startswith("OPP_DISCARD")
            (self._discards if later else self._queue).append(due)

    def _work(self) -> Steps:
        while self._queue:
            yield from self._effect(*self._queue.popleft())
        yield from self._pay()

    def _pay(self) -> Steps:
        if self._price is not None:
            (place, cost), self._price = self._price, None
            yield from self._refill(place)
            self._me.coins -= cost

    def _effect(self, source: CardRef, level: int, text: str) -> Steps:
        me, other = self._me, self._other
        if " OR " in text:
            chosen = yield from self._choose("enact-chosen-effect", source)
            right = chosen.effect is not None and not chosen.cards
            self._check(right, "4.5", "an effect", chosen)
            yield from self._effect(source, level, text.split(" OR ")[chosen.effect or 0])
            return
        verb, number = text.split()
        amount = int(number)
        match verb:
            case "GAIN_COIN" | "GAIN_POWER" | "GAIN_PRESTIGE":
                yield from self._gain(verb, source, amount)
            case "OPP_LOSE_PRESTIGE":
                other.prestige = max(0, other.prestige - amount)
                yield from self._event("opp-lose-prestige", source, None, amount)
            case "DRAW":
                yield from self._draw(me, amount)
                yield from self._event("draw", source, None, amount)
            case "PATRON_CALL":
                me.calls += amount
                yield from self._event("add-patron-calls", source, None, amount)
            case "HEAL":
                for agent in me.agents:
                    if agent.ref == source:
                        agent.hp = min(agent.hp + amount, agent.kind.hp)
                        yield from self._event("heal-agent", source, source, amount)
            case "KNOCKOUT_ALL":
                for seat in (me, other):
                    for agent in seat.agents.copy():
                        self._knock_out(seat, agent)
                yield from self._event("knockout-all", None, source)
            case "OPP_DISCARD":
                if me.hand:
                    must = min(amount, len(me.hand))
                    yield from self._discard("discard-cards", source, must, must)
            case "DONATE":
                gone = yield from self._discard("donate", source, 0, amount)
                yield from self._draw(me, gone)
                yield from self._event("draw", source, None, gone)
            case "REPLACE_TAVERN":
                yield from self._replace(source, amount)
            case "ACQUIRE_TAVERN":
                yield from self._acquire(source, amount)
            case "DESTROY_CARD":
                chosen = yield from self._choose("destroy-cards", source)
                yield from self._destroy(chosen, source, 0, amount)
            case "RETURN_TOP" | "RETURN_AGENT_TOP":
                agents = verb == "RETURN_AGENT_TOP"
                yield from self._return("refresh-cards", source, 0, amount, agents=agents)
            case "TOSS":
                yield from self._toss(source, amount)
            case "KNOCKOUT":
                yield from self._knockout(source, amount)
            case _:
                for _ in range(amount):
                    yield from self._make(_CREATES[verb], source, me)

    def _gain(self, verb: str, source: CardRef | str, amount: int) -> Steps:
        what = verb.removeprefix("GAIN_").lower()
        field = "coins" if what == "coin" else what
        setattr(self._me, field, getattr(self._me, field) + amount)
        yield from self._event(f"gain-{what}", source, None, amount)

    def _make(self, kind: str, source: CardRef | str, owner: Seat) -> Steps:
        made = self._new(_MADE[kind])
        owner.cooldown.append(made)
        yield from self._event(kind, source, made)

    def _choose(self, follow_up: str, source: CardRef | str) -> Reading[Chosen]:
        yield from self._pay()
        chosen = yield from self._reply(Chosen, "2.11")
        right = chosen.follow_up == follow_up and chosen.source == source
        self._check(right, "2.11", f"a choice of {_shown(source)}, {follow_up}", chosen)
        cards = follow_up == "enact-chosen-effect" or chosen.effect is None
        self._check(cards, "2.11", "no effect", chosen)
        return chosen

    def _check_chosen(
        self, chosen: Chosen, among: Sequence[CardRef] | None, least: int, most: int
    ) -> None:
        """Check the number of chosen cards, and that they're in the order of the list (4.5)."""
        count = len(chosen.cards)
        self._check(least <= count <= most, "4.5", f"{least} to {most} cards", chosen)
        if among is not None:
            left = iter(among)
            right = all(card in left for card in chosen.cards)
            self._check(right, "4.5", f"cards of {_shown(among)}, in this order", chosen)

    def _tell(self, kind: str, source: CardRef | str, cards: Iterable[CardRef]) -> Steps:
        for card in cards:
            yield from self._event(kind, source, card)

    def _discard(
        self, follow_up: str, source: CardRef, least: int, most: int
    ) -> Generator[None, None, int]:
        chosen = yield from self._choose(follow_up, source)
        self._check_chosen(chosen, None, least, most)
        for card in chosen.cards:
            self._from_hand(card, "4.5", chosen)
        self._me.cooldown += chosen.cards
        yield from self._tell("discard", source, chosen.cards)
        return len(chosen.cards)

    def _replace(self, source: CardRef, amount: int) -> Steps:
        among = self._row.copy()
        chosen = yield from self._choose("replace-cards-in-tavern", source)
        self._check_chosen(chosen, among, 0, amount)
        for card in chosen.cards:
            place = self._row.index(card)
            del self._row[place]
            yield from self._refill(place)
            self._deck.append(Group([card]))
        yield from self._tell("replace-tavern", source, chosen.cards)

    def _acquire(self, source: CardRef, amount: int) -> Steps:
        among = [card for card in self._row if self._kind(card).cost <= amount]
        chosen = yield from self._choose("acquire-cards", source)
        self._check_chosen(chosen, among, 0, 1)
        for card in chosen.cards:
            place = self._row.index(card)
            del self._row[place]
            yield from self._event("acquire-card", source, card)
            contract = self._settle(card)
            yield from self._refill(place)
            if contract:
                self._count(card)

    def _destroy(self, chosen: Chosen, source: CardRef | str, least: int, most: int) -> Steps:
        """Destroy cards from the hand, the agents and the cards played."""
        me = self._me
        self._check_chosen(chosen, None, least, most)
        agents = {agent.ref: agent for agent in me.agents}
        open_cards = [*agents, *me.played]
        from_hand = [card for card in chosen.cards if card not in open_cards]
        left = iter(open_cards)
        ordered = chosen.cards[: len(from_hand)] == from_hand
        ordered = ordered and all(card in left for card in chosen.cards[len(from_hand) :])
        self._check(ordered, "4.5", "cards of hand, agents, played, in this order", chosen)
        for card in chosen.cards:
            if card in agents:
                me.agents.remove(agents[card])
            elif card in me.played:
                me.played.remove(card)
            else:
                self._from_hand(card, "4.5", chosen)
        yield from self._tell("destroy-card", source, chosen.cards)

    def _return(
        self, follow_up: str, source: CardRef | str, least: int, most: int, *, agents: bool
    ) -> Steps:
        me = self._me
        among = [card for card in me.cooldown if self._kind(card).is_agent or not agents]
        chosen = yield from self._choose(follow_up, source)
        self._check_chosen(chosen, among, least, most)
        for card in chosen.cards:
            me.cooldown.remove(card)
            me.pile.insert(0, Group([card]))
        yield from self._tell("refresh", source, chosen.cards)

    def _toss(self, source: CardRef, amount: int) -> Steps:
        me = self._me
        yield from self._reach(me, amount)
        window = me.pile[:amount]
        chosen = yield from self._choose("toss-cards", source)
        self._check_chosen(chosen, None, 0, len(window))
        place = 0
        for card in chosen.cards:
            while place < len(window) and card.uid not in window[place].cards:
                place += 1
            on_top = place < len(window) and window[place].cards.pop(card.uid) == card
            self._check(on_top, "4.5", f"cards that may be the top {amount}", chosen)
            me.pile.remove(window.pop(place))
        me.cooldown += chosen.cards
        yield from self._tell("toss", source, chosen.cards)

    def _knockout(self, source: CardRef, amount: int) -> Steps:
        me, other = self._me, self._other
        among = [agent.ref for agent in other.agents]
        must = min(amount, len(among))
        chosen = yield from self._choose("knockout-agents", source)
        self._check_chosen(chosen, among, must, must)
        for seat in (me, other):
            for agent in seat.agents:
                if agent.ref.card in MORIHAUS and agent.ref not in chosen.cards:
                    seat.coins += 1
                    yield from self._expect(Event(seat.number, "gain-coin", agent.ref, None, 1))
        out = [agent for agent in other.agents if agent.ref in chosen.cards]
        out.sort(key=lambda agent: agent.kind.type != "CONTRACT_AGENT")
        for agent in out:
            self._knock_out(other, agent)
        yield from self._tell("knockout", source, [agent.ref for agent in out])

    # --- patrons --------------------------------------------------------------------------------

    def _call(self, acted: Acted) -> Steps:
        me, other = self._me, self._other
        patron = "" if acted.action.patron is UNSET else acted.action.patron
        self._check(patron in self._favours, "4.8", "a patron of the table", acted)
        self._check(me.calls > 0, "4.8", "no call is left", acted)
        before = self._favours[patron]
        me.calls -= 1
        if patron != TREASURY and (before is None or patron == "ANSEI"):
            self._favours[patron] = me
        elif before is other:
            self._favours[patron] = None
        coins = {"ORGNUM": 3, "RAJHIN": 3, "SAINT_ALESSIA": 4, "PSIJIC": 4, TREASURY: 2}
        power = {"ANSEI": 2, "PELIN": 2, "RED_EAGLE": 2}
        price, force = coins.get(patron, 0), power.get(patron, 0)
        enough = me.coins >= price and me.power >= force
        if patron in ("ANSEI", "DUKE_OF_CROWS"):
            enough = enough and before is not me and (patron == "ANSEI" or me.coins > 0)
        if patron == "PSIJIC":
            enough = enough and bool(other.agents)
        if patron == "PELIN":
            enough = enough and any(self._kind(card).is_agent for card in me.cooldown)
        self._check(enough, "4.8", "what a call needs", acted)
        if price:
            yield from self._gain("GAIN_COIN", patron, -price)
        if force and patron != "RED_EAGLE":
            yield from self._gain("GAIN_POWER", patron, -force)
        match patron:
            case "ANSEI":
                yield from self._gain("GAIN_COIN", patron, 1)
            case "DUKE_OF_CROWS":
                coins_left = me.coins
                yield from self._gain("GAIN_POWER", patron, coins_left - 1)
                yield from self._gain("GAIN_COIN", patron, -coins_left)
            case "HLAALU" | "TREASURY":
                yield from self._sells(patron, acted)
            case "ORGNUM":
                share = {me: me.owned() // 4, None: me.owned() // 6}.get(before, 2)
                yield from self._gain("GAIN_POWER", patron, share)
                if before is me:
                    yield from self._make(_CREATES[self._set.creates], patron, me)
            case "PELIN":
                yield from self._return("complete-pellin", patron, 1, 1, agents=True)
            case "PSIJIC":
                chosen = yield from self._choose("complete-psijic", patron)
                self._check_chosen(chosen, [agent.ref for agent in other.agents], 1, 1)
                self._knock_out(other, self._agent(other, chosen.cards[0], chosen))
                yield from self._tell("knockout", patron, chosen.cards)
            case "RAJHIN":
                yield from self._make("add-bewilderment-to-opponent", patron, other)
            case "RED_EAGLE":
                yield from self._draw(me, 1)
                yield from self._gain("GAIN_POWER", patron, -force)
                yield from self._event("draw", patron)
            case "SAINT_ALESSIA":
                if before is other:
                    yield from self._gain("GAIN_POWER", patron, 2)
                else:
                    kind = "soldier-of-the-empire" if before is None else "chainbreaker-sergeant"
                    yield from self._make(f"add-{kind}", patron, me)

    def _sells(self, patron: str, acted: Acted) -> Steps:
        """Call Hlaalu or the Treasury, which both destroy a card."""
        me = self._me
        least = 1 if patron == "HLAALU" else 0
        cards = [*me.played, *(agent.ref for agent in me.agents)]
        cards += [card for group in me.hand for card in group.cards.values()]
        some = any(self._kind(card).cost >= least for card in cards)
        self._check(some, "4.8", f"a card of cost {least} or more", acted)
        chosen = yield from self._choose(f"complete-{patron.lower()}", patron)
        self._check_chosen(chosen, None, 1, 1)
        (card,) = chosen.cards
        known = self._refs.get(card.uid) == card and self._kind(card).cost >= least
        self._check(known, "4.8", f"a card of cost {least} or more", chosen)
        yield from self._destroy(chosen, patron, 1, 1)
        if patron == "HLAALU":
            yield from self._gain("GAIN_PRESTIGE", patron, self._kind(card).cost - 1)
        else:
            yield from self._make("add-writ-of-coin", patron, me)

    # --- the end --------------------------------------------------------------------------------

    def _check_end(self, scores: list[int], winners: list[str], reason: str) -> None:
        found = f"scores {scores}, winners {winners}, reason {reason}"
        should = [seat.prestige for seat in self._seats]
        self._check(scores == should, "4.10", f"scores {should}", found)
        if self._gone:
            why: str = EndReason.LAST_PLAYER_STANDING
            won = [seat.number for seat in self._seats if seat.seat not in self._gone]
            if not won:
                why, won = EndReason.NO_PLAYERS, winners
        elif self._over is not None:
            why, winner = self._over
            won = [seat.number for seat in self._seats if winner in (None, seat)]
        else:
            self._check(self._asked is not None, "2.19", "what follows a reply", found)
            why = "bad-patron" if self._drafting else "illegal-reply"
            won = [seat.number for seat in self._seats if seat.seat != self._asked]
        self._check((reason, winners) == (why, won), "4.10", f"{why}: {won}", found)


def _cards_of(places: Iterable[Group]) -> list[CardRef]:
    """All cards of the groups that occur at these positions."""
    groups = {id(group): group for group in places}
    return [card for group in groups.values() for card in group.cards.values()]


def _shown(message: object) -> str:
    """Format a message as in the log."""
    return msgspec.json.encode(message).decode()

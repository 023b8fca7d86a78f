"""A match of Scripts of Tribute turn by turn, for people and scripts (`referee replay`).

What a card is called and costs is read from `game-info`; prices of cards are not told otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from msgspec import UNSET, Struct

from referee.games.interface.capabilities import Kept, Phrase, Picture, Summary
from referee.games.interface.faults import Fault
from referee.games.interface.seats import seat_id, seat_of
from referee.games.tribute.rules.cards import CONTRACT_ACTION, CONTRACT_AGENT, TREASURY
from referee.games.tribute.rules.messages import (
    ACTIVATE_AGENT,
    ATTACK,
    BUY_CARD,
    CALL_PATRON,
    PLAY_CARD,
    Acted,
    Action,
    CardRef,
    CardRow,
    Chosen,
    Event,
    GameInfo,
    PatronPicked,
    PlayerDrew,
    PlayerShuffled,
    TableSet,
    TurnEnded,
    TurnStarted,
)
from referee.games.tribute.rules.table import LEVELS

MAX_BROUGHT = 40
_LABELS = {
    PLAY_CARD: "plays",
    ACTIVATE_AGENT: "activates",
    ATTACK: "attacks",
    BUY_CARD: "buys",
    CALL_PATRON: "calls",
}
_STYLES = {"attacks": "red", "buys": "green", "calls": "blue", "ends": "dim"}
_GAINS = {
    "gain-coin": "coin",
    "gain-power": "power",
    "gain-prestige": "prestige",
    "add-patron-calls": "more call",
}
_DONE = {
    "acquire-card": "acquires {}",
    "replace-tavern": "replaces {}",
    "destroy-card": "destroys {}",
    "discard": "discards {}",
    "refresh": "puts {} on top",
    "toss": "tosses {}",
    "knockout": "knocks out {}",
    "knockout-all": "knocks out all agents",
    "agent-death": "dies",
    "add-bewilderment-to-opponent": "gives {}",
}
"""The other events make a card: "gets Writ of Coin"."""
_SMALL = {"Of"}
_CONTRACTS = {CONTRACT_ACTION, CONTRACT_AGENT}


class Deed(Struct, frozen=True):
    """Something that was done in a turn.

    Attributes:
        what: "drafts", "discards", "plays", "activates", "attacks", "buys", "calls" or "ends".
        card: its name, or that of a patron.
        brought: what came of it: "2 coins", "combo 2", "destroys Gold".
    """

    what: str
    card: str
    brought: list[str]


class Turn(Struct, frozen=True):
    """One turn; a line of `referee replay --format json`.

    Attributes:
        turn: counted from 1 over both players.
        player_number: whose; empty if the log does not say it.
        deeds: in order; the first 1,000. Those of turn 1 begin with the draft.
        coins, power: got in it, without prices; coins with those that it began with.
        prestige: got in it, power that was left included.
        bought: the names of the cards.
        called: the names of the patrons.
        agents: name and HP of the agents that both have after it, in seat order.
        favours: patron -> the player whom it favours after it, or null.
        standing: the prestige of both after it, in seat order; null if it has no end.
        notes: faults and disqualifications: the player, and a sentence; the first 1,000.
    """

    turn: int
    player_number: str
    deeds: list[Deed]
    coins: int
    power: int
    prestige: int
    bought: list[str]
    called: list[str]
    agents: list[list[str]]
    favours: dict[str, str | None]
    standing: list[int] | None
    notes: list[str]


class Turns:
    """Implements `referee.games.interface.capabilities.TurnReader` for Scripts of Tribute.

    Args:
        names: the players' names, in seat order.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._rows: dict[str, CardRow] = {}
        self._cards: dict[int, str] = {}  # uid -> card
        self._favours: dict[str, str | None] = {}
        self._agents: list[dict[int, int]] = [{} for _ in names]  # of each seat: uid -> HP
        self._begin(1, "")

    def _begin(self, turn: int, player: str, coins: int = 0) -> None:
        self._turn = turn
        self._player = player
        self._deeds: Kept[Deed] = Kept()
        self._notes: Kept[str] = Kept()
        self._bought: Kept[str] = Kept()
        self._called: Kept[str] = Kept()
        self._made = {"coin": coins, "power": 0, "prestige": 0}
        self._left = {"coin": coins, "power": 0}
        self._counters: Counter[str] = Counter()  # cards of each deck
        self._waiting: dict[str, set[int]] = {}  # deck -> levels of entries not yet released
        self._standing: list[int] | None = None
        self._got = 0

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        """Read a message; returns the turn that it ends."""
        match message:
            case TurnStarted(turn=turn, player_number=player, coins=coins):
                drafted = self._deeds if not self._player and not self._notes else None
                over = self.end() if drafted is None else []
                self._begin(turn, player, coins)
                if drafted is not None:
                    self._deeds = drafted
                return over
            case TurnEnded(prestige=prestige):
                self._ends(prestige)
            case PlayerDrew(count=count) if self._standing is None:
                self._brings("draws 1 card" if count == 1 else f"draws {count} cards")
            case PlayerShuffled() if self._standing is None:
                self._brings("shuffles")
            case GameInfo(card_table=rows):
                self._rows = {row.card: row for row in rows}
            case PatronPicked(player_number=player, patron=patron):
                self._does("drafts", title_of(patron), self._name(player))
            case TableSet():
                self._lay_out(message)
            case Acted(action=action):
                self._act(action)
            case Chosen(follow_up="discard-cards", cards=cards):
                self._does("discards", ", ".join(map(self._of, cards)))
            case Event():
                self._happens(message)
        return []

    def _lay_out(self, table: TableSet) -> None:
        for cards in (table.row, table.tavern_deck, *table.starters):
            self._cards |= {card.uid: card.card for card in cards}
        self._favours = dict.fromkeys(p for p in table.patrons if p != TREASURY)

    def _act(self, action: Action) -> None:
        label = _LABELS.get(action.type)
        if label is None:
            return
        if action.patron is not UNSET:
            self._called.append(title_of(action.patron))
            self._does(label, title_of(action.patron), *self._moved(action.patron))
            return
        uid = 0 if action.card is UNSET else action.card
        row = self._rows.get(self._cards.get(uid, ""))
        self._does(label, self._named(uid))
        if row is None:
            return
        if label == "buys":
            self._bought.append(row.name)
            self._left["coin"] -= row.cost
            self._brings(f"for {row.cost}")
        if label == "plays" or (row.type == CONTRACT_AGENT and label == "buys"):
            self._enters(uid, row)
        if label in ("plays", "activates") or (label == "buys" and row.type in _CONTRACTS):
            self._counts(row)

    def _moved(self, patron: str) -> list[str]:
        """How a call moves its favour (4.8)."""
        if patron not in self._favours:
            return []
        before = self._favours[patron]
        after = self._player if before in (None, self._player) or patron == "ANSEI" else None
        self._favours[patron] = after
        if after == before:
            return []
        return ["neutral now" if after is None else f"favours {self._name(after)}"]

    def _enters(self, uid: int, row: CardRow) -> None:
        if row.hp is not None:
            self._agents_of(self._player)[uid] = row.hp
            self._brings(f"{'taunt agent' if row.taunt else 'agent'} of {row.hp} HP")

    def _counts(self, row: CardRow) -> None:
        """Count a card for its deck; tell the combos that it releases (4.4)."""
        self._counters[row.deck] = reached = min(self._counters[row.deck] + 1, LEVELS)
        waiting = self._waiting.setdefault(row.deck, set())
        waiting |= {level for level, effect in enumerate(row.effects, 1) if effect and level > 1}
        combos = sorted(level for level in waiting if level <= reached)
        waiting -= {*combos}
        if combos:
            levels = " and ".join(map(str, combos))
            self._brings(f"{title_of(row.deck)} combo {levels}")

    def _happens(self, event: Event) -> None:
        kind, amount, target = event.kind, event.amount, event.target
        if target is not None:
            self._cards[target.uid] = target.card
        if kind in _GAINS:
            self._gains(event, _GAINS[kind])
        elif kind == "opp-lose-prestige":
            self._brings(f"the other loses {amount} prestige")
        elif kind == "heal-agent" and target is not None:
            agents = self._agents_of(event.player_number)
            row = self._rows.get(target.card)
            full = row.hp if row is not None and row.hp else amount
            agents[target.uid] = min(agents.get(target.uid, 0) + amount, full)
            self._brings(f"heals to {agents[target.uid]} HP")
        elif kind in ("attack-agent", "agent-hit") and target is not None:
            left = self._hit(target, amount)
            shown = [] if left is None else [f"{left} HP left" if left else "dies"]
            if kind == "attack-agent":
                self._brings(f"with {amount}", *shown * bool(left))
            else:
                self._does("attacks", self._of(target), f"with {amount} at the end", *shown)
        elif kind == "discard" and self._deeds and self._deeds[-1].what == "discards":
            pass  # `chosen` has told it
        elif kind != "draw":  # `player-drew` says how many came
            self._befalls(kind, target)

    def _befalls(self, kind: str, target: CardRef | None) -> None:
        """A card is taken, made, or taken out of play."""
        name = "" if target is None else self._of(target)
        self._brings(_DONE.get(kind, "gets {}").format(name))
        if target is not None and kind in ("destroy-card", "knockout", "agent-death"):
            for agents in self._agents:
                agents.pop(target.uid, None)
        elif kind == "knockout-all":
            self._agents = [{} for _ in self._names]
        row = None if target is None else self._rows.get(target.card)
        if target is not None and row is not None and kind == "acquire-card":
            if row.type == CONTRACT_AGENT:
                self._enters(target.uid, row)
            if row.type in _CONTRACTS:
                self._counts(row)

    def _gains(self, event: Event, what: str) -> None:
        amount = event.amount
        several = "s" if abs(amount) != 1 and what.endswith(("coin", "call")) else ""
        if event.player_number != self._player:
            self._brings(f"{self._name(event.player_number)} gets {amount} {what}{several}")
            return
        if what in self._left:
            self._left[what] += amount
        if what in self._made:
            self._made[what] += max(amount, 0)
        if amount > 0:
            self._brings(f"{amount} {what}{several}")
        elif amount < 0:
            self._brings(f"for {-amount} {what}{several}")

    def _hit(self, target: CardRef, damage: int) -> int | None:
        """Take HP off an agent, and the power for it; returns what it has left, if it is known."""
        self._left["power"] -= damage
        for agents in self._agents:
            if target.uid in agents:
                agents[target.uid] = left = agents[target.uid] - damage
                if left <= 0:
                    del agents[target.uid]
                return max(left, 0)
        return None

    def _ends(self, prestige: Sequence[int]) -> None:
        """The turn ends: power that is left becomes prestige, coins are lost."""
        power, coins = self._left["power"], self._left["coin"]
        told = [f"{power} power becomes prestige"] * (power > 0)
        told += [f"{coins} coin{'s' * (coins != 1)} left over"] * (coins > 0)
        self._does("ends", "", *told)
        self._standing = list(prestige)
        self._got = self._made["prestige"] + max(power, 0)

    def _does(self, what: str, card: str, *brought: str) -> None:
        self._deeds.append(Deed(what, card, list(brought)))

    def _brings(self, *what: str) -> None:
        """What the last deed has brought besides."""
        if self._deeds and not self._deeds.left_out:
            brought = self._deeds[-1].brought
            brought.extend(what[: MAX_BROUGHT - len(brought)])

    def _agents_of(self, player: str) -> dict[int, int]:
        seat = seat_of(player, len(self._agents))
        return {} if seat is None else self._agents[seat]

    def _name(self, player: str) -> str:
        seat = seat_of(player, len(self._names))
        return player if seat is None else self._names[seat]

    def _named(self, uid: int) -> str:
        card = self._cards.get(uid, f"card {uid}")
        return self._rows[card].name if card in self._rows else title_of(card)

    def _of(self, card: CardRef) -> str:
        return self._rows[card.card].name if card.card in self._rows else title_of(card.card)

    def fault(self, fault: Fault) -> list[Turn]:
        """Read a fault, which a record tells of."""
        text = f"{fault.code} ({fault.section}): {fault.detail}"
        self._notes.append(f"{seat_id(fault.seat)}: {text}")
        return []

    def disqualify(self, seat: int, text: str) -> list[Turn]:
        """Read the disqualification of a seat."""
        self._notes.append(f"{seat_id(seat)}: disqualified: {text}")
        return []

    def end(self) -> list[Turn]:
        """Read the end; returns the last turn, or the draft if there was none."""
        return [self._over()] if self._player or self._deeds or self._notes else []

    def _over(self) -> Turn:
        left_out = self._deeds.left_out + self._notes.left_out
        more = [f"{left_out} more were left out"] if left_out else []
        agents = [
            [f"{self._named(uid)} {hp}" for uid, hp in agents.items()] for agents in self._agents
        ]
        return Turn(
            turn=self._turn,
            player_number=self._player,
            deeds=self._deeds,
            coins=self._made["coin"],
            power=self._made["power"],
            prestige=self._got,
            bought=self._bought,
            called=self._called,
            agents=agents,
            favours=self._favours.copy(),
            standing=self._standing,
            notes=[*self._notes, *more],
        )

    def seats(self, turn: Turn) -> tuple[int, ...]:
        """Whose turn it was."""
        seat = seat_of(turn.player_number, len(self._names))
        return () if seat is None else (seat,)

    def title(self, turn: Turn) -> str:
        """Whose turn it was, and the prestige of both after it."""
        name = "".join(self._names[seat] for seat in self.seats(turn))
        standing = turn.standing
        return name if standing is None else f"{name}, {' to '.join(map(str, standing))}"

    def show(self, turn: Turn) -> list[Phrase | Picture]:
        """What was done, in order; deeds of one kind stand together."""
        parts: list[Phrase | Picture] = []
        for what, deeds in groupby(turn.deeds, key=attrgetter("what")):
            told = [
                f"{same}x {text}" if (same := len([*alike])) > 1 else text
                for text, alike in groupby(map(_told, deeds))
            ]
            if any(told):
                parts.append(Phrase(what, ", ".join(told), _STYLES.get(what, "")))
        for seat, agents in enumerate(turn.agents):
            favours = [title_of(p) for p, who in turn.favours.items() if who == seat_id(seat)]
            has = [f"agents {', '.join(agents)}"] * bool(agents)
            has += [f"favours of {', '.join(favours)}"] * bool(favours)
            if has and turn.standing is not None:
                parts.append(Phrase("after", f"{self._names[seat]}: {'; '.join(has)}", "dim"))
        parts += [Phrase("note", note, "yellow") for note in turn.notes]
        return parts

    def summary(self, turns: Sequence[Turn]) -> Summary:
        """Each turn as a row."""
        columns = ["turn", "player", "coins", "power", "prestige", "bought", "called", "standing"]
        rows = []
        for turn in turns:
            standing = "" if turn.standing is None else " to ".join(map(str, turn.standing))
            cells = [turn.turn, turn.player_number, turn.coins, turn.power, turn.prestige]
            names = [", ".join(turn.bought), ", ".join(turn.called)]
            rows.append([*map(str, cells), *names, standing])
        sums = [sum(getattr(turn, name) for turn in turns) for name in ("coins", "power")]
        prestige = sum(turn.prestige for turn in turns)
        bought = sum(len(turn.bought) for turn in turns)
        called = sum(len(turn.called) for turn in turns)
        totals = ["all", "", *map(str, [*sums, prestige]), f"{bought} cards", f"{called} calls", ""]
        return Summary(columns, rows, [totals])


def _told(deed: Deed) -> str:
    """A deed as a person says it: "Gold (1 coin)"; of one kind of gain the sum."""
    told: dict[str, str] = {}
    for what in deed.brought:
        number, _, kind = what.partition(" ")
        kind = kind.removesuffix("s")
        if kind in ("coin", "power", "prestige") and kind in told:
            plural = "s" * (kind == "coin")
            told[kind] = f"{int(told[kind].split()[0]) + int(number)} {kind}{plural}"
        else:
            told[kind if kind in ("coin", "power", "prestige") else what] = what
    brought = "; ".join(told.values())
    if not deed.card:
        return brought
    return f"{deed.card} ({brought})" if brought else deed.card


def title_of(name: str) -> str:
    """An id as people say it: "DUKE_OF_CROWS" -> "Duke of Crows"."""
    words = [word.capitalize() for word in name.split("_")]
    return " ".join(word.lower() if word in _SMALL else word for word in words)

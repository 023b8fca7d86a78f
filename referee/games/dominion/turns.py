"""A match of Dominion turn by turn, for people and scripts (`referee replay`).

In a record a turn begins with the first request to another player. In a spectator log, which has
no requests, it ends with its clean-up (`events.py`): a top discard that can be a cellar's counts as
one until a later message shows that it was the clean-up's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from referee.games.dominion.events import (
    ANSWERS,
    Kind,
    TurnMessage,
    cards_of,
    kind_of,
    next_seat,
    split_gains,
)
from referee.games.dominion.ledger import Ledger
from referee.games.dominion.rules.cards import CARDS, COST
from referee.games.dominion.rules.messages import PlayTurn, SupplyInfo
from referee.games.interface.capabilities import Kept, Phrase, Picture, Summary
from referee.games.interface.faults import Fault
from referee.games.interface.seats import seat_id, seat_index

_MONEY = {card: data.worth + data.money for card, data in CARDS.items()}
"""What each card gives when it is played."""
_WHAT = {
    Kind.GAINED: "gained",
    Kind.TRASHED: "trashed",
    Kind.TOP: "discarded",
    Kind.REVEALED: "revealed",
    Kind.SHUFFLED: "shuffled",
    Kind.PLAYED: "played",
}
"""Kind of message -> `Step.what`."""
_KIND = {what: kind for kind, what in _WHAT.items()}
_ANSWERS = [_WHAT[kind] for kind in ANSWERS]


class Step(Struct, frozen=True):
    """Something that happened in a turn.

    Attributes:
        player_number: to whom, or by whom.
        what: "gained", "trashed", "discarded" (the card on top), "revealed", "shuffled",
            "disqualified", "fault", or "left out": the turn has more steps than are kept.
        cards: that it is about.
        text: a code with its section and sentence, or how many steps were left out.
    """

    player_number: str
    what: str
    cards: list[str] = []
    text: str = ""


class Turn(Struct, frozen=True):
    """One turn; a line of `referee replay --format json`.

    Attributes:
        turn: counted from 1 over all players.
        player_number: whose.
        player_turn: counted from 1, of this player.
        hand: at the start; null where it is not known (a spectator log has no hands).
        played: in order.
        money: that the cards played gave.
        spent: on what was bought.
        bought, gained: in order; gained without the bought.
        trashed: in order.
        steps: everything else that was told, in order.
        scores: after the turn, in seat order.
        cards: that the player owns after the turn, card -> count.
        supply: after the turn, card -> count.
    """

    turn: int
    player_number: str
    player_turn: int
    hand: list[str] | None
    played: list[str]
    money: int
    spent: int
    bought: list[str]
    gained: list[str]
    trashed: list[str]
    steps: list[Step]
    scores: list[int]
    cards: dict[str, int]
    supply: dict[str, int]


class Turns:
    """Implements `referee.games.interface.capabilities.TurnReader` for Dominion."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._ledger = Ledger(len(names))
        self._turns = [0] * len(names)
        self._disqualified: set[int] = set()
        self._number = 0  # of turns that are over
        self._is_record = False  # a request was read
        # Of the turn that is going on:
        self._active = 0
        self._steps: Kept[Step] = Kept()
        self._request: PlayTurn | None = None  # the last one
        self._hand: list[str] | None = None
        self._cleaned_up = False  # only a shuffle can follow
        self._possible_end: int | None = None  # the number of steps up to there

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        """Read a message; returns the turns that are over by now."""
        if isinstance(message, SupplyInfo):
            self._ledger.show(message)
            return []
        if isinstance(message, PlayTurn) and to is not None:
            return self._read_request(message, to)
        if not isinstance(message, TurnMessage):
            return []
        step = Step(message.player_number, _WHAT[kind_of(message)], list(cards_of(message)))
        return list(self._add(step))

    def fault(self, fault: Fault) -> list[Turn]:
        """Read a fault, which only a record has."""
        text = f"{fault.code} ({fault.section}): {fault.detail}"
        self._steps.append(Step(seat_id(fault.seat), "fault", text=text))
        return []

    def disqualify(self, seat: int, text: str) -> list[Turn]:
        """Read the disqualification of a seat."""
        self._steps.append(Step(seat_id(seat), "disqualified", text=text))
        self._disqualified.add(seat)
        return []

    def end(self) -> list[Turn]:
        """Read the end of the match, or of the log."""
        if self._possible_end is not None:
            return [*self._split(), *self.end()]
        if any(step.what != "disqualified" for step in self._steps) or self._request:
            return [self._close()]
        return []

    # --- turns --------------------------------------------------------------------------------

    def _read_request(self, request: PlayTurn, seat: int) -> list[Turn]:
        """Read a request, the first of a turn or a later one."""
        turns = []
        if self._request is not None and seat != self._active:
            turns = [self._close()]
        if self._request is None:
            self._hand = request.hand
        self._is_record = True
        self._active = seat
        self._request = request
        return turns

    def _add(self, step: Step) -> Iterator[Turn]:
        """Add a step to this turn or to the next one; yields the turns that are over by now."""
        if self._is_record:
            self._note(step)
            return
        seat = seat_index(step.player_number)
        mine = seat == self._active
        if self._cleaned_up and mine and step.what == "shuffled":
            self._note(step)
            yield self._close()
            return
        if self._cleaned_up or self._is_next_turns(step, mine):
            yield from [self._close()] if self._cleaned_up else self._split()
            yield from self._add(step)
            return
        if not mine and step.what not in _ANSWERS:
            if any(before.what != "disqualified" for before in self._steps):
                yield self._close()
            self._active = seat
        elif not mine and not self._steps and not self._ledger.owned[self._active]["militia"]:
            self._active = seat  # a player without cards sends nothing in its turn
            mine = True
        elif mine and step.what == "played":
            self._possible_end = None
        self._note(step)
        if mine and step.what == "discarded":
            cleaned = any(before.what == "played" for before in self._steps)
            if cleaned or not self._ledger.owned[seat]["cellar"]:
                self._cleaned_up = True
            elif self._possible_end is None:
                self._possible_end = len(self._steps)

    def _is_next_turns(self, step: Step, mine: bool) -> bool:
        """Whether the step shows that the turn was over at its possible end."""
        if self._possible_end is None:
            return False
        if not mine:
            return step.what not in _ANSWERS or not self._ledger.owned[self._active]["militia"]
        discards = sum(
            before.what == "discarded" and before.player_number == step.player_number
            for before in self._steps
        )
        return step.what == "played" and step.cards.count("cellar") < discards

    def _split(self) -> Iterator[Turn]:
        """Close the turn at its possible end and add the steps after it to the next turns."""
        assert self._possible_end is not None  # the caller looked
        later, left_out = self._steps[self._possible_end :], self._steps.left_out
        self._steps = Kept(self._steps[: self._possible_end])
        for step in later:  # each is added again below
            self._count(step, -1)
        active = seat_id(self._active)
        if later and later[0].what == "shuffled" and later[0].player_number == active:
            self._steps.append(later.pop(0))
        yield self._close()
        for step in later:
            yield from self._add(step)
        self._steps.left_out += left_out

    def _note(self, step: Step) -> None:
        self._steps.append(step)
        self._count(step, 1)

    def _count(self, step: Step, sign: int) -> None:
        kind = _KIND.get(step.what, "")
        self._ledger.count(seat_index(step.player_number), kind, step.cards, sign)

    def _close(self) -> Turn:
        seat = self._active
        number = seat_id(seat)
        self._number += 1
        self._turns[seat] += 1
        steps, owned = self._steps, self._ledger.owned[seat]
        played = [card for s in steps if s.what == "played" for card in s.cards]
        if not played and self._request is not None:
            played = self._request.cards_played
        gained, bought = self._gains(steps, played)
        others = [s for s in steps if s.what not in ("gained", "trashed", "played")]
        if steps.left_out:
            others.append(Step(number, "left out", text=f"{steps.left_out} more steps"))
        turn = Turn(
            turn=self._number,
            player_number=number,
            player_turn=self._turns[seat],
            hand=self._hand,
            played=played,
            money=sum(_MONEY.get(card, 0) for card in played),
            spent=sum(COST.get(card, 0) for card in bought),
            bought=bought,
            gained=gained,
            trashed=[card for s in steps if s.what == "trashed" for card in s.cards],
            steps=others,
            scores=self._ledger.scores(),
            cards={card: owned[card] for card in CARDS if owned[card] > 0},
            supply=self._ledger.supply,
        )
        self._steps = Kept()
        self._request = self._hand = self._possible_end = None
        self._cleaned_up = False
        self._active = next_seat(seat, len(self._names), self._disqualified)
        return turn

    def _gains(self, steps: list[Step], played: list[str]) -> tuple[list[str], list[str]]:
        """The cards gained by actions, and the cards bought."""
        if self._request is not None and not self._request.buys and self._request.cards_gained:
            bought = self._request.cards_bought
            every = self._request.cards_gained
            return every[: len(every) - len(bought)], bought
        return split_gains([(_KIND.get(s.what, s.what), s.cards) for s in steps], played)

    # --- for people ---------------------------------------------------------------------------

    def seats(self, turn: Turn) -> tuple[int, ...]:
        """The one player whose turn it was."""
        return (seat_index(turn.player_number),)

    def title(self, turn: Turn) -> str:
        """The player, and the number of the turn among this player's."""
        (seat,) = self.seats(turn)
        return f"{turn.player_number} {self._names[seat]}, turn {turn.player_turn}"

    def show(self, turn: Turn) -> list[Phrase | Picture]:
        """The turn as labelled phrases."""
        phrases: list[Phrase | Picture] = []
        if turn.hand is not None:
            phrases.append(Phrase("hand", listed(turn.hand) or "empty"))
        phrases.append(Phrase("played", listed(turn.played) or "nothing"))
        for label, cards in (("trashed", turn.trashed), ("gained", turn.gained)):
            if cards:
                phrases.append(Phrase(label, listed(cards)))
        money = f" ({turn.spent} of {turn.money} money)"
        phrases.append(Phrase("bought", (listed(turn.bought) or "nothing") + money, "bold"))
        phrases += [_phrase(step, turn) for step in turn.steps]
        points = turn.scores[seat_index(turn.player_number)]
        total = f"{sum(turn.cards.values())} cards, {plural(points, 'point')}"
        phrases.append(Phrase("deck", f"{_counted(turn.cards)} ({total})"))
        scores = [f"{seat_id(seat)} {points}" for seat, points in enumerate(turn.scores)]
        phrases.append(Phrase("scores", ", ".join(scores)))
        if turn.supply:
            shown = {*turn.gained, *turn.bought, "province"}
            left = {card: n for card, n in turn.supply.items() if card in shown or not n}
            phrases.append(Phrase("supply", _counted(left)))
        return phrases

    def summary(self, turns: Sequence[Turn]) -> Summary:
        """The cards gained in each turn, then points and decks."""
        seats = range(len(self._names))
        gained: dict[int, list[str]] = {}  # by the players' own turn numbers
        decks = ["" for _ in seats]
        scores = ["" for _ in seats]
        for turn in turns:
            (seat,) = self.seats(turn)
            row = gained.setdefault(turn.player_turn, ["" for _ in seats])
            row[seat] = ", ".join([*turn.gained, *turn.bought]) or "-"
            decks[seat] = _counted(turn.cards)
            scores = [str(points) for points in turn.scores]
        return Summary(
            ["turn", *(f"{seat_id(seat)} {name}" for seat, name in enumerate(self._names))],
            [[str(number), *gained[number]] for number in sorted(gained)],
            [["points", *scores], ["deck", *decks]],
        )


def _phrase(step: Step, turn: Turn) -> Phrase:
    own = step.player_number == turn.player_number
    who = "" if own else f"{step.player_number}: "
    if step.what == "discarded":
        return Phrase("discarded", f"{who}{listed(step.cards)} on top")
    if step.what == "revealed":
        return Phrase("revealed", f"{who}{listed(step.cards)}", "green")
    if step.what == "shuffled":
        return Phrase("shuffled", f"{step.player_number}'s discard pile is the new deck")
    return Phrase(step.what, f"{step.player_number}: {step.text}", "red")


def listed(cards: Sequence[str]) -> str:
    """Cards in order; the same ones in a row are counted."""
    rows = ((card, len(list(same))) for card, same in groupby(cards))
    return ", ".join(f"{count} {card}" if count > 1 else card for card, count in rows)


def _counted(cards: dict[str, int]) -> str:
    return ", ".join(f"{count or 'no'} {card}" for card, count in cards.items())


def plural(count: int, what: str) -> str:
    """A count with its noun: "1 point", "2 points"."""
    return f"{count} {what}" if abs(count) == 1 else f"{count} {what}s"

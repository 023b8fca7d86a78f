"""A match of Star Realms turn by turn, for people and scripts (`referee replay`).

What a card has brought is read from the card: public messages do not tell it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from msgspec import Struct

from referee.games.interface.capabilities import Kept, Phrase, Picture, Summary
from referee.games.interface.faults import Fault
from referee.games.interface.seats import seat_id, seat_of
from referee.games.starrealms.rules.cards import CARDS, Ability, Effect
from referee.games.starrealms.rules.messages import (
    BaseDestroyed,
    PlayerAttacked,
    PlayerChose,
    PlayerCopied,
    PlayerDiscarded,
    PlayerDrew,
    PlayerGained,
    PlayerPlayed,
    PlayerScrapped,
    PlayerShuffled,
    PlayerUsed,
    TurnEnded,
    TurnStarted,
)

GIVES = ("trade", "combat", "authority")
COPIES = "Stealth Needle"
MAX_BROUGHT = 20
_STYLES = {"attacks": "red", "buys": "green", "scraps": "yellow", "cleans up": "dim"}


class Deed(Struct, frozen=True):
    """Something that was done in a turn.

    Attributes:
        what: "plays", "uses", "ally", "scraps", "buys", "attacks", "discards" or "cleans up".
        card: which; of an attack on the player whom.
        brought: what came of it: "3 trade", "2 cards", "scraps Viper from hand".
    """

    what: str
    card: str
    brought: list[str]


class Turn(Struct, frozen=True):
    """One turn; a line of `referee replay --format json`.

    Attributes:
        turn: counted from 1 over both players.
        player_number: whose; empty if the log does not say it.
        deeds: in order; the first 1,000.
        trade, combat, authority: made.
        gained: the cards.
        dealt: combat that the opponent took.
        standing: the authority of both after the turn, in seat order; null if it has no end.
        notes: faults and disqualifications: the player, and a sentence; the first 1,000.
    """

    turn: int
    player_number: str
    deeds: list[Deed]
    trade: int
    combat: int
    authority: int
    gained: list[str]
    dealt: int
    standing: list[int] | None
    notes: list[str]


class Turns:
    """Implements `referee.games.interface.capabilities.TurnReader` for Star Realms.

    Args:
        names: the players' names, in seat order.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._fleets: Counter[str] = Counter()  # player -> cards in play that reward ships
        self._begin(1, "")

    def _begin(self, turn: int, player: str) -> None:
        self._turn = turn
        self._player = player
        self._deeds: Kept[Deed] = Kept()
        self._drawn: list[str] = []  # since the last deed; a clean-up's if nothing follows
        self._notes: Kept[str] = Kept()
        self._made = dict.fromkeys(GIVES, 0)
        self._gained: Kept[str] = Kept()
        self._copied = ""
        self._dealt = 0

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        """Read a message; returns the turn that it ends."""
        match message:
            case TurnStarted(turn=turn, player_number=player):
                over = self.end()
                self._begin(turn, player)
                return over
            case TurnEnded(authority=standing):
                self._does("cleans up", "", *self._drawn)
                over = [self._over(standing)]
                self._begin(self._turn + 1, "")
                return over
            case PlayerDrew(count=count):
                self._drawn.append("draws 1" if count == 1 else f"draws {count}")
            case PlayerShuffled():
                self._drawn.append("shuffles")
            case _:
                self._hear(message)
        return []

    def _hear(self, message: Struct) -> None:
        self._brings(*self._drawn)
        self._drawn = []
        match message:
            case PlayerPlayed(card=card):
                self._does("plays", card)
                if self._is_fleet(card):
                    self._fleets[self._player] += 1
                elif card in CARDS and CARDS[card].is_ship:
                    self._rewards(self._fleets[self._player])
                    self._acts(card, "primary")
            case PlayerUsed(card=card, ability=ability):
                self._does("uses" if ability == "primary" else "ally", card)
                self._acts(card, ability)
            case PlayerChose(card=card, option=option):
                lists = CARDS[card].primary if card in CARDS else ()
                for effects in lists[option - 1 : option]:
                    self._gives(effects)
            case PlayerCopied(card=card):
                self._copied = card
                self._brings(f"as {card}")
                self._acts(card, "primary")
            case PlayerScrapped(card=card, from_="play"):
                self._does("scraps", card)
                self._fleets[self._player] -= self._is_fleet(card)
                self._acts(card, "scrap")
            case PlayerScrapped(card=card, from_=place):
                self._brings(f"scraps {card} of {place}")
            case PlayerGained(gained=card, paid=paid, to=pile):
                self._gained.append(card)
                top = ["to the top of the deck"] * (pile == "deck")
                if paid:
                    self._does("buys", card, f"for {paid}", *top)
                else:
                    self._brings(f"takes {card}")
            case PlayerDiscarded(cards=cards):
                self._does("discards", ", ".join(cards))
            case BaseDestroyed(player_number=owner, card=card, combat=combat):
                self._fleets[owner] -= self._is_fleet(card)
                if combat:
                    self._does("attacks", card, f"with {combat}")
                else:
                    self._brings(f"destroys {card}")
            case PlayerAttacked(player_number=whom, combat=combat, authority=left):
                self._dealt += combat
                self._does("attacks", whom, f"with {combat}", f"{left} left")

    def _does(self, what: str, card: str, *brought: str) -> None:
        self._deeds.append(Deed(what, card, list(brought)))

    def _brings(self, *what: str) -> None:
        """What the last deed has brought besides."""
        if what and self._deeds and not self._deeds.left_out:
            self._deeds[-1].brought.extend(what[:MAX_BROUGHT])

    def _acts(self, card: str, ability: str) -> None:
        """An ability of a card happens; of what is chosen `PlayerChose` tells."""
        acting = self._copied if card == COPIES and ability != "primary" else card
        if acting in CARDS:
            lists: Ability = getattr(CARDS[acting], ability, ())
            if len(lists) == 1:
                self._gives(lists[0])

    def _gives(self, effects: Iterable[Effect]) -> None:
        for word, number in effects:
            if word in GIVES:
                self._made[word] += number
                self._brings(f"{number} {word}")
            elif word == "opponent_discard":
                self._brings("1 discard due")

    def _rewards(self, fleets: int) -> None:
        if fleets > 0:
            self._made["combat"] += fleets
            self._brings(f"{fleets} combat of Fleet HQ")

    def _is_fleet(self, card: str) -> bool:
        return card in CARDS and CARDS[card].constant == "combat_per_ship"

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
        """Read the end; returns the turn in whose middle it came."""
        return [self._over(None)] if self._player or self._deeds or self._notes else []

    def _over(self, standing: list[int] | None) -> Turn:
        left_out = self._deeds.left_out + self._notes.left_out
        more = [f"{left_out} more were left out"] if left_out else []
        return Turn(
            turn=self._turn,
            player_number=self._player,
            deeds=self._deeds,
            **self._made,
            gained=self._gained,
            dealt=self._dealt,
            standing=standing,
            notes=[*self._notes, *more],
        )

    def seats(self, turn: Turn) -> tuple[int, ...]:
        """Whose turn it was."""
        seat = seat_of(turn.player_number, len(self._names))
        return () if seat is None else (seat,)

    def title(self, turn: Turn) -> str:
        """Whose turn it was, and how both stand after it."""
        name = "".join(self._names[seat] for seat in self.seats(turn))
        standing = turn.standing
        return name if standing is None else f"{name}, {' to '.join(map(str, standing))}"

    def show(self, turn: Turn) -> list[Phrase | Picture]:
        """What was done, in order; deeds of one kind stand together."""
        parts: list[Phrase | Picture] = []
        for what, deeds in groupby(turn.deeds, key=attrgetter("what")):
            parts.append(Phrase(what, ", ".join(map(_told, deeds)), _STYLES.get(what, "")))
        parts += [Phrase("note", note, "yellow") for note in turn.notes]
        return parts

    def summary(self, turns: Sequence[Turn]) -> Summary:
        """Each turn as a row."""
        columns = ["turn", "player", "trade", "combat", "authority", "gained", "dealt", "standing"]
        rows = []
        for turn in turns:
            made = [turn.trade, turn.combat, turn.authority]
            standing = "" if turn.standing is None else " to ".join(map(str, turn.standing))
            cells = [turn.turn, turn.player_number, *made, ", ".join(turn.gained), turn.dealt]
            rows.append([*map(str, cells), standing])
        sums = [sum(getattr(turn, name) for turn in turns) for name in (*GIVES, "dealt")]
        gained = sum(len(turn.gained) for turn in turns)
        totals = ["all", "", *map(str, sums[:3]), f"{gained} cards", str(sums[3]), ""]
        return Summary(columns, rows, [totals])


def _told(deed: Deed) -> str:
    """A deed as a person says it: "Ram (5 combat)"."""
    brought = "; ".join(deed.brought)
    if not deed.card:
        return brought or "nothing to draw"
    return f"{deed.card} ({brought})" if brought else deed.card

"""A match of Star Realms turn by turn, for people and scripts (`referee replay`).

The effects of a card are read from the card: public messages do not have them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct, field

from referee.games.interface import turns
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS, Ability, Effect

GIVES = ("trade", "combat", "authority")
COPIES = "Stealth Needle"


class Turn(turns.Turn, kw_only=True):
    """One turn; a line of `referee replay --format json`.

    Attributes:
        trade, combat, authority: made.
        gained: the cards.
        damage: combat that the opponent took.
    """

    trade: int = 0
    combat: int = 0
    authority: int = 0
    gained: list[str] = field(default_factory=list)
    damage: int = 0


class Turns(turns.TurnReader[Turn]):
    """Reads a match of Star Realms. The scores are the authority of both."""

    turn_type = Turn
    styles: ClassVar[Mapping[str, str]] = {
        "attacks": "red",
        "buys": "green",
        "scraps": "yellow",
        "cleans up": "dim",
    }
    columns: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(GIVES, ""),
        "gained": "cards",
        "damage": "",
    }

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self._fleets: Counter[str] = Counter()  # player -> cards in play that reward ships
        self._copied = ""
        self._drawn: list[str] = []  # since the last action; the clean-up's if none follows

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        now, drawn = self.now, self._drawn
        if not isinstance(message, say.PlayerDrew | say.PlayerShuffled):
            self._drawn = []
            if not isinstance(message, say.TurnEnded):
                self.add_effects(*drawn)
        match message:
            case say.PlayerDrew(count=count):
                drawn.append(f"draws {count}")
            case say.PlayerShuffled():
                drawn.append("shuffles")
            case say.TurnStarted(turn=turn, player_number=player):
                return self.begin(turn, player)
            case say.TurnEnded(authority=scores):
                self.act("cleans up", "", *drawn)
                now.scores = scores
                return [self.close()]
            case say.PlayerPlayed(card=card):
                self.act("plays", card)
                if self._is_fleet(card):
                    self._fleets[now.player_number] += 1
                elif card in CARDS and CARDS[card].is_ship:
                    self._give([("combat", self._fleets[now.player_number])], " of Fleet HQ")
                    self._use(card, "primary")
            case say.PlayerUsed(card=card, ability=ability):
                self.act("uses" if ability == "primary" else "ally", card)
                self._use(card, ability)
            case say.PlayerChose(card=card, option=option):
                lists = CARDS[card].primary if card in CARDS else ()
                for effects in lists[option - 1 : option]:
                    self._give(effects)
            case say.PlayerCopied(card=card):
                self._copied = card
                self.add_effects(f"as {card}")
                self._use(card, "primary")
            case say.PlayerScrapped(card=card, from_="play"):
                self.act("scraps", card)
                self._fleets[now.player_number] -= self._is_fleet(card)
                self._use(card, "scrap")
            case say.PlayerScrapped(card=card, from_=place):
                self.add_effects(f"scraps {card} of {place}")
            case say.PlayerGained(gained=card, paid=paid, to=pile):
                self.keep(now.gained, card)
                top = ["to the top of the deck"] * (pile == "deck")
                if paid:
                    self.act("buys", card, f"for {paid}", *top)
                else:
                    self.add_effects(f"takes {card}")
            case say.PlayerDiscarded(cards=cards):
                for card in cards:
                    self.act("discards", card)
            case say.BaseDestroyed(player_number=owner, card=card, combat=combat):
                self._fleets[owner] -= self._is_fleet(card)
                if combat:
                    self.act("attacks", card, f"with {combat}")
                else:
                    self.add_effects(f"destroys {card}")
            case say.PlayerAttacked(player_number=whom, combat=combat, authority=left):
                now.damage += combat
                self.act("attacks", whom, f"with {combat}", f"{left} left")
        return []

    def close(self) -> Turn:
        self.add_effects(*self._drawn)  # of a turn without a clean-up
        self._drawn = []
        return super().close()

    def _use(self, card: str, ability: str) -> None:
        """Give what an ability of a card gives, if its player has nothing to choose."""
        acting = self._copied if card == COPIES and ability != "primary" else card
        if acting in CARDS:
            lists: Ability = getattr(CARDS[acting], ability, ())
            if len(lists) == 1:
                self._give(lists[0])

    def _give(self, effects: Iterable[Effect], of: str = "") -> None:
        for word, number in effects:
            if word in GIVES and number > 0:
                setattr(self.now, word, getattr(self.now, word) + number)
                self.add_effects(f"{number} {word}{of}")
            elif word == "opponent_discard":
                self.add_effects("1 discard due")

    def _is_fleet(self, card: str) -> bool:
        return card in CARDS and CARDS[card].constant == "combat_per_ship"

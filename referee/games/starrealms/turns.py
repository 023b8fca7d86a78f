"""Summarizes each turn of a Star Realms match, for people and scripts (`referee replay`).

Public messages say which card was used, but they don't contain its effects. We look those up in
the card data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct, field

from referee.games.interface import turns
from referee.games.interface.seats import seat_of
from referee.games.interface.sentence import Card, Part, Seat
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS, Ability, Effect

GIVES = ("trade", "combat", "authority")
COPIES = "Stealth Needle"


class Turn(turns.Turn, kw_only=True):
    """One turn, which is one line of `referee replay --format json`.

    Attributes:
        trade, combat, authority: amounts from cards.
        gained: names of the gained cards.
        damage: combat spent on attacks on the opponent.
    """

    trade: int = 0
    combat: int = 0
    authority: int = 0
    gained: list[str] = field(default_factory=list)
    damage: int = 0


class Turns(turns.TurnReader[Turn]):
    """Builds the turns of a Star Realms match from its messages. The score is the authority."""

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
        self._fleets: Counter[str] = Counter()  # player -> number of Fleet HQs in play
        self._copied = ""
        self._drawn: list[str] = []  # draws whose cause we don't know yet

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        match message:
            # Either the last action or the clean-up has caused this draw. The next messages will
            # show which, so keep the draw until then.
            case say.PlayerDrew(count=count):
                self._drawn.append(f"draws {count}")
            case say.PlayerShuffled():
                self._drawn.append("shuffles")
            case say.TurnStarted(turn=turn, player_number=player):
                self._add_drawn()
                return self.begin(turn, player)
            case say.TurnEnded(authority=scores):
                drawn, self._drawn = self._drawn, []
                self.act("cleans up", "", *drawn)
                self.now.scores = scores
                return [self.close()]
            case _:
                self._add_drawn()
                self._read_action(message)
        return []

    def close(self) -> Turn:
        self._add_drawn()  # if the game ends during a turn, the clean-up is skipped
        return super().close()

    def _add_drawn(self) -> None:
        self.add_effects(*self._drawn)
        self._drawn = []

    def object_of(self, action: turns.Action) -> str:
        return self.call(action.card)  # if a player was attacked, this is the player's number

    def part_of(self, action: turns.Action) -> Part:
        seat = seat_of(action.card, len(self._names))
        if seat is not None:
            return Seat(seat)
        return Card(action.card) if action.card in CARDS else action.card

    # --- messages about actions -------------------------------------------------------------------

    def _read_action(self, message: Struct) -> None:
        match message:
            case say.PlayerPlayed(card=card):
                self._play(card)
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
            case say.PlayerScrapped():
                self._scrap(message)
            case say.PlayerGained():
                self._gain(message)
            case say.PlayerDiscarded(cards=cards):
                for card in cards:
                    self.act("discards", card)
            case say.BaseDestroyed():
                self._destroy(message)
            case say.PlayerAttacked(player_number=player, combat=combat, authority=left):
                self.now.damage += combat
                self.act("attacks", player, f"with {combat}", f"{left} left")

    def _play(self, card: str) -> None:
        # If the log is damaged, this can be any text, so don't assume that it's in CARDS.
        self.act("plays", card)
        if self._is_fleet(card):
            self._fleets[self.now.player_number] += 1
        elif card in CARDS and CARDS[card].is_ship:
            self._give([("combat", self._fleets[self.now.player_number])], " of Fleet HQ")
            self._use(card, "primary")

    def _scrap(self, message: say.PlayerScrapped) -> None:
        card = message.card
        # Scrapping is only an action if the card was in play. Otherwise, it's the effect of another
        # card.
        if message.from_ != "play":
            self.add_effects(f"scraps {card} of {message.from_}")
            return
        self.act("scraps", card)
        self._fleets[self.now.player_number] -= self._is_fleet(card)
        self._use(card, "scrap")

    def _gain(self, message: say.PlayerGained) -> None:
        card = message.gained
        self.append_limited(self.now.gained, card)
        # If the player didn't pay, the card was gained by another card's effect.
        if message.paid:
            top = ["to the top of the deck"] * (message.to == "deck")
            self.act("buys", card, f"for {message.paid}", *top)
        else:
            self.add_effects(f"takes {card}")

    def _destroy(self, message: say.BaseDestroyed) -> None:
        self._fleets[message.player_number] -= self._is_fleet(message.card)
        if message.combat:
            self.act("attacks", message.card, f"with {message.combat}")
        else:
            self.add_effects(f"destroys {message.card}")

    # --- effects of cards -------------------------------------------------------------------------

    def _use(self, card: str, ability: str) -> None:
        acting = self._copied if card == COPIES and ability != "primary" else card
        # If the ability has alternatives, the next message shows which one the player chose.
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

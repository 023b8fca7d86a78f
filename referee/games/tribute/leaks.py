"""Dialects with the hidden orders that the engine reveals, for comparisons with it (6.10).

Our messages don't contain these orders (a bot could read its next cards from them). A dialect that
shows them plays the whole game itself, from the seed of the match and the public messages.
"""

from __future__ import annotations

from msgspec import Struct, convert, to_builtins

from referee.games.interface.dialect import DialectKind
from referee.games.interface.game import ALL, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.tribute.classic import CLASSIC, CLASSIC_INDEX, Classic, ClassicIndex, Json
from referee.games.tribute.rules.game import Options, Tribute
from referee.games.tribute.rules.messages import ChooseReply, PatronReply, PlayReply


class Leaky(Classic):
    """`Classic`, with piles in the engine's order."""

    def __init__(self, seat: int, seed: int, name: str) -> None:
        super().__init__(seat, seed, name)
        self._seed = seed

    def send(self, line: bytes) -> bytes:
        """Translate as `Classic` does, and play the announced decision in our own game."""
        sent = super().send(line)
        message = self._asked
        match message["type"]:
            case "game-info":
                options = convert(message, Options)
                chance = SeededRandomSource(self._seed)
                names = tuple(message["player_bot_names"])
                setup = GameSetup(chance=chance, names=names, options=options, seed=self._seed)
                self._game = Tribute(setup)
                self._places = {card: place for place, card in enumerate(self._table)}
            case "patron-picked":
                self._advance(PatronReply(message["patron"]))
            case "action":
                self._advance(PlayReply(message["action"]))
            case "chosen":
                uids = [card["uid"] for card in message["cards"]]
                self._advance(ChooseReply(uids, message["effect"]))
                if message["follow_up"] == "complete-pellin":
                    # The engine doesn't count this card as known. We do, because the player has put
                    # it there.
                    self._game.table.me.known -= 1
        return sent

    def _advance(self, reply: Struct) -> None:
        self._game.advance({self._game.requests[0].seat: reply})

    def _state(self, asked: Json) -> bytes:
        view = to_builtins(self._game.view(ALL))
        me, other = view["seats"][self._seat], view["seats"][1 - self._seat]
        shown = asked["state"] | {
            "me": asked["state"]["me"] | {pile: me[pile] for pile in ("draw_pile", "known")},
            "tavern_deck": self._by_card(view["tavern_deck"]),
        }
        shown["opponent"] |= {"hand_and_draw": self._by_card(other["draw_pile"] + other["hand"])}
        return super()._state(asked | {"state": shown})

    def _by_card(self, cards: list[Json]) -> list[Json]:
        return sorted(cards, key=lambda card: self._places[card["card"]])


class LeakyIndex(Leaky, ClassicIndex):
    """`ClassicIndex`, with piles in the engine's order."""


CLASSIC_LEAKS = DialectKind(Leaky, tells_hidden=True, wrong=CLASSIC.wrong)
CLASSIC_INDEX_LEAKS = DialectKind(LeakyIndex, tells_hidden=True, wrong=CLASSIC_INDEX.wrong)

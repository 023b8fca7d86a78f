"""Dialects that give away hidden information, as the engine does (6.10).

The engine sends a bot's draw pile in its real order, for example, so the bot could look up which
cards it will draw. These dialects exist for comparisons with the engine. Our messages don't contain
the real order. To find it, a dialect runs its own copy of the game, with the seed of the match and
the decisions in the public messages.
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
    """Like `Classic`, but with all piles in the order in which the engine sends them."""

    def __init__(self, seat: int, seed: int, name: str) -> None:
        super().__init__(seat, seed, name)
        self._seed = seed

    def send(self, line: bytes) -> bytes:
        """Translate a message. If it announces a decision, our own game carries it out, too."""
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
                    # Pelin has put a card on top of the draw pile. We count it as known, but the
                    # engine doesn't.
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
    """Like `ClassicIndex`, but with all piles in the order in which the engine sends them."""


CLASSIC_LEAKS = DialectKind(Leaky, tells_hidden=True, wrong=CLASSIC.wrong)
CLASSIC_INDEX_LEAKS = DialectKind(LeakyIndex, tells_hidden=True, wrong=CLASSIC_INDEX.wrong)

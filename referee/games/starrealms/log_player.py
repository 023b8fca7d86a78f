"""Replays a spectator log of Star Realms (see `referee.games.interface.log_player`).

A spectator log doesn't show which cards a player draws, so the hands in our game are just a guess.
When a player uses a card that is still in the deck of our game, we swap it with a card of the hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from referee.games.interface.game import Request
from referee.games.interface.log_player import DifferenceError, End, Gone
from referee.games.interface.random_source import RandomSource, SeededRandomSource
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS, EXPLORER, TRADE_DECK
from referee.games.starrealms.rules.game import StarRealms
from referee.games.starrealms.rules.player import Player

SECTIONS: Mapping[type[Struct], str] = {
    say.GameInfo: "2.3",
    say.TradeRow: "2.6",
    say.TurnStarted: "2.7",
    say.PlayerDiscarded: "4.6",
    say.PlayerPlayed: "5.1",
    say.PlayerUsed: "4.3",
    say.PlayerChose: "2.11",
    say.PlayerCopied: "4.4",
    say.PlayerScrapped: "2.13",
    say.PlayerGained: "4.5",
    say.PlayerDrew: "4.8",
    say.PlayerShuffled: "4.8",
    say.BaseDestroyed: "4.7",
    say.PlayerAttacked: "4.7",
    say.TurnEnded: "2.19",
    Gone: "2.20",
    End: "4.10",
}


class StarRealmsLog:
    """Implements `referee.games.interface.log_player.LogPlayer` for Star Realms."""

    sections = SECTIONS

    def __init__(self) -> None:
        self._trade_deck = len(TRADE_DECK)  # size of the trade deck before the last reply

    def begin(self, names: Sequence[str]) -> RandomSource:
        return SeededRandomSource(0)

    def reply(self, game: StarRealms, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Work out the next reply from the messages that follow it in the log.

        We replay a turn one action at a time, even if the bot sent several actions in one reply.
        """
        self._trade_deck = len(game.table.trade_deck)
        question = game.turn.question
        if question is not None:
            picks = _picks(game, question, ahead)
            return None if picks is None else say.ChooseReply(picks)
        action = _action(game.turn.player, ahead[0])
        return say.PlayReply([action])

    def settle(self, game: StarRealms, expected: Struct, found: Struct) -> bool:
        """Replace the newest cards of the trade row with the cards that the log shows."""
        if not isinstance(expected, say.TradeRow) or not isinstance(found, say.TradeRow):
            return False
        row, deck = game.table.row, game.table.trade_deck
        # Cards that came from the trade deck since the last reply are at the end of the row. Put
        # them back into our deck, and take out the cards that the log shows instead.
        old = len(row) - (self._trade_deck - len(deck))
        shown, deck[:], row[old:] = found.cards[old:], deck + row[old:], found.cards[old:]
        for card in shown:
            if card not in deck:
                raise DifferenceError("cards that are still in the trade deck")
            deck.remove(card)
        return found == say.TradeRow(row, len(deck), game.table.explorers)


def _action(player: Player, found: Struct) -> dict[str, str]:
    match found:
        case say.PlayerPlayed(card=card):
            _show(player, [card])
            return {"action": "play", "card": card}
        case say.PlayerUsed(card=card, ability=ability):
            return {"action": "use-base" if ability == "primary" else "use-ally", "card": card}
        case say.PlayerScrapped(card=card, from_="play"):
            return {"action": "scrap", "card": card}
        case say.PlayerGained(gained=card, to=pile):
            return {"action": "buy", "card": card, "to": pile}
        case say.BaseDestroyed(card=card):
            return {"action": "attack-base", "card": card}
        case say.PlayerAttacked():
            return {"action": "attack-player"}
        # The player doesn't have to choose any cards now, so this is the clean-up, which discards
        # the whole hand. Put our hand in the order that the log shows, because the rules discard
        # it in that order.
        case say.PlayerDiscarded(cards=cards) if len(cards) == len(player.hand):
            _show(player, cards)
            player.hand = list(cards)
    return {"action": "end-turn"}


def _picks(game: StarRealms, asked: say.Choose, ahead: Sequence[Struct]) -> list[int] | None:
    """Return the picks, or None if more messages are needed to infer them."""
    player, row = game.turn.player, game.table.row
    match asked.kind, ahead[0]:
        case "option", say.PlayerChose(option=option):
            return [option - 1]
        case "copy-ship", say.PlayerCopied(card=card):
            return _places([card], [str(option.card) for option in asked.options])
        case "destroy-base", say.BaseDestroyed(card=card, combat=0):
            return _places([card], [base.card.name for base in game.turn.opponent.exposed()])
        case "discard", say.PlayerDiscarded(cards=cards):
            # If the player chose to discard nothing, there's no message about it. The discard that
            # we see may then already belong to the clean-up.
            ends = False if asked.least else _ends_turn(player, asked.most, ahead)
            if ends is not False:
                return [] if ends else None
            _show(player, cards)
            return _places(cards, player.hand)
        case "scrap-trade-row", say.PlayerScrapped(card=card, from_="trade-row"):
            return _in_row(card, row, range(len(row)), ahead)
        case "gain-ship", say.PlayerGained(gained=card, paid=0):
            ships = [place for place, name in enumerate(row) if CARDS[name].is_ship]
            return _in_row(card, row, ships, ahead)
        case "scrap", say.PlayerScrapped():
            scrapped = _scrapped(ahead, asked.most)
            if scrapped is None:
                return None
            _show(player, [each.card for each in scrapped if each.from_ == "hand"])
            there = [("discard", card) for card in player.discard] * (not asked.least)
            there += [("hand", card) for card in player.hand]
            return _places([(each.from_, each.card) for each in scrapped], there)
    return []


def _ends_turn(player: Player, most: int, ahead: Sequence[Any]) -> bool | None:
    """Return True if the discard is part of the clean-up, or None if we can't tell yet.

    A card that lets the player discard up to `most` cards is followed by the same messages as the
    clean-up: a discard and a draw. But the clean-up always discards the whole hand, and it draws
    more than `most` cards.
    """
    if len(ahead[0].cards) != len(player.hand):
        return False
    if len(ahead) > 1 and isinstance(ahead[1], say.PlayerDrew) and len(player.deck) > most:
        return ahead[1].count > most
    for message in ahead[1:]:
        if not isinstance(message, say.PlayerDrew | say.PlayerShuffled):
            return isinstance(message, say.TurnEnded)
    return None


def _in_row(
    card: str, row: Sequence[str], places: Sequence[int], ahead: Sequence[Struct]
) -> list[int] | None:
    """Return the pick that took `card` from the row, or None if more messages are needed.

    `places` says where the options are in the row.
    """
    # If the row has two copies of the card, the first message doesn't tell us which one was taken.
    # The second message shows the new row.
    if len(ahead) < 2:
        return None
    shown = ahead[1].cards if isinstance(ahead[1], say.TradeRow) else []
    fits = [at for at, place in enumerate(places) if row[place] == card]
    for at in fits:
        rest = [*row[: places[at]], *row[places[at] + 1 :]]
        if shown[: len(rest)] == rest:
            return [at]
    return fits[:1]


def _scrapped(ahead: Sequence[Struct], most: int) -> list[say.PlayerScrapped] | None:
    scrapped: list[say.PlayerScrapped] = []
    for message in ahead:
        if isinstance(message, say.PlayerScrapped) and message.from_ in ("hand", "discard"):
            scrapped.append(message)
            if len(scrapped) == most:
                return scrapped
        # When an Explorer is scrapped, it returns to its pile and the row is published again. More
        # scrapped cards may follow that message.
        elif not (isinstance(message, say.TradeRow) and scrapped[-1].card == EXPLORER):
            return scrapped
    # The next message, which we don't have yet, may be another scrapped card.
    return None


def _places(wanted: Iterable[Any], found: Sequence[Any]) -> list[int]:
    # It doesn't matter which copy of a card we pick, as long as we don't pick one twice.
    places: list[int] = []
    for each in wanted:
        free = (at for at, other in enumerate(found) if other == each and at not in places)
        place = next(free, None)
        if place is None:
            raise DifferenceError("a card that can be there")
        places.append(place)
    return places


def _show(player: Player, cards: Iterable[str]) -> None:
    other = player.hand.copy()
    for card in cards:
        # The card is already in the hand. Remove it from `other`, or we might swap it away for one
        # of the next cards.
        if card in other:
            other.remove(card)
            continue
        if card not in player.deck or not other:
            raise DifferenceError("a card that can be in the hand")
        given = other.pop()
        player.deck[player.deck.index(card)] = given
        player.hand[player.hand.index(given)] = card

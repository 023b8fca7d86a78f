"""Replays a spectator log of Scripts of Tribute (see `referee.games.interface.log_player`).

The log shows every decision, but it doesn't show the cards of a hand until they are used. The hands
in our game are therefore just a guess. When a player uses a card that is still in the draw pile of
our game, we swap it with a card of the hand. We do the same with the row and the tavern deck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from referee.games.interface.game import Request
from referee.games.interface.log_player import DifferenceError, End, Gone
from referee.games.interface.random_source import RandomSource, SeededRandomSource
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.cards import Card
from referee.games.tribute.rules.faults import BAD_PATRON
from referee.games.tribute.rules.game import ILLEGAL_REPLY, Tribute
from referee.games.tribute.rules.patrons import for_hlaalu
from referee.games.tribute.rules.table import Choice, Player, Table, as_set
from referee.games.tribute.rules.turn import Pick, legal

SECTIONS: Mapping[type[Struct], str] = {
    say.GameInfo: "2.3",
    say.PatronPicked: "4.1",
    say.TableSet: "4.2",
    say.TurnStarted: "4.3",
    say.Acted: "4.3",
    say.Chosen: "4.5",
    say.Event: "2.12",
    say.RowRefilled: "4.7",
    say.PlayerShuffled: "4.3",
    say.PlayerDrew: "4.3",
    say.TurnEnded: "4.3",
    Gone: "2.17",
    End: "4.10",
}


class TributeLog:
    """Implements `referee.games.interface.log_player.LogPlayer` for Scripts of Tribute."""

    sections = SECTIONS

    def __init__(self) -> None:
        self._row: set[int] = set()  # uids of the cards in the row before the last reply
        self._has_changed = False  # True if the list of legal actions is out of date

    def begin(self, names: Sequence[str]) -> RandomSource:
        return SeededRandomSource(0)

    def reply(self, game: Tribute, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Work out the next reply from the messages that follow it in the log.

        If the reply was illegal, the log only shows that the bot lost. We then return an empty
        reply, which loses in the same way.
        """
        table, waits = game.table, game.asked
        self._row = _uids(table.row)
        if self._has_changed and isinstance(waits, list):
            # settle() has swapped cards of the row since the request. Update the list in place,
            # because the rules use the same one.
            waits[:] = legal(table)
        self._has_changed = False
        found = ahead[0]
        match waits, found:
            case Pick(), say.PatronPicked(patron=patron):
                return say.PatronReply(patron)
            case Pick(), End(reason=reason) if reason == BAD_PATRON:
                return say.PatronReply()
            case list(), say.Acted(action=action):
                return _act(game, action, ahead)
            case list(), End(reason=reason) if reason == ILLEGAL_REPLY:
                return say.PlayReply()
            case Choice(), say.Chosen(cards=cards, effect=effect):
                uids = [card.uid for card in cards]
                _choose(table, waits, uids)
                return say.ChooseReply(uids, effect)
            case Choice(), End(reason=reason) if reason == ILLEGAL_REPLY:
                return say.ChooseReply()
        raise DifferenceError(f"what answers a {asked.message.__struct_config__.tag}")

    def settle(self, game: Tribute, expected: Struct, found: Struct) -> bool:
        """Put the cards that the log shows into the row."""
        table = game.table
        match expected, found:
            case say.TableSet(), say.TableSet():
                cards = {card.uid: card for card in table.row + table.deck}
                shown = [cards.pop(card.uid, None) for card in found.row]
                table.row[:] = [card for card in shown if card is not None]
                table.deck[:] = cards.values()
                row = [card.ref for card in table.row]
                return found == replace(expected, row=row, tavern_deck=as_set(table.deck))
            case say.RowRefilled(place=place), say.RowRefilled(card=say.CardRef(uid=uid)):
                # We can only swap cards that came into the row since the last reply. The players
                # have already seen the others.
                hidden = [*table.deck, *(card for card in table.row if card.uid not in self._row)]
                card = next((card for card in hidden if card.uid == uid), None)
                if card is None or expected.card is None:
                    return False
                choice = [game.asked.cards] if isinstance(game.asked, Choice) else []
                _exchange(table.row[place], card, table.row, table.deck, *choice)
                self._has_changed = True
                return found == say.RowRefilled(place, card.ref)
        return False


def _act(game: Tribute, action: say.Action, ahead: Sequence[Struct]) -> say.PlayReply | None:
    """Return the reply for an action, after moving the cards that it needs into the hand.

    Returns None if we need to see more messages first.
    """
    table = game.table
    shown: list[int] = []
    if action.type == say.PLAY_CARD and isinstance(action.card, int):
        shown = [action.card]
    # Hlaalu can only be called if there's a card to destroy. We don't know the card until we see
    # the `chosen` message, so take any card with a cost from the draw pile for now.
    elif action.patron == "HLAALU" and not for_hlaalu(table):
        shown = [card.uid for card in table.me.draw_pile if card.kind.cost][:1]
    elif action.type == say.END_TURN:
        # At the end of a turn, the whole hand is discarded, and `turn-ended` lists the cards.
        ended = next((message for message in ahead[1:] if not isinstance(message, say.Event)), None)
        if ended is None:
            return None
        if isinstance(ended, say.TurnEnded):
            discarded = [card.uid for card in ended.discarded[: len(table.me.hand)]]
            # If this isn't possible, ignore it. The `turn-ended` message will then differ from the
            # log, and reporting that is more helpful than an error here.
            with suppress(DifferenceError):
                _hold(table.me, discarded)
                table.me.hand.sort(key=lambda card: [*discarded, card.uid].index(card.uid))
    hidden = [uid for uid in shown if uid in _uids(table.me.draw_pile)]
    if hidden and isinstance(game.asked, list):
        _hold(table.me, hidden)
        game.asked[:] = legal(table)
    return say.PlayReply(to_builtins(action))


def _choose(table: Table, choice: Choice, uids: Sequence[int]) -> None:
    me = table.me
    # settle() may have changed the row since this choice was created, so look at the row again.
    if choice.follow_up == "acquire-cards":
        choice.cards = [c for c in table.row if c in choice.cards or c.uid in uids]
    # The choice in our game may not offer the cards that the log shows. Swap hidden cards until it
    # does.
    hidden = [uid for uid in uids if uid in _uids(me.draw_pile) or uid in _uids(me.hand)]
    if choice.follow_up == "toss-cards":
        # The cards to choose from are on top of the draw pile, so swap them in both lists.
        free = [card for card in choice.cards if card.uid not in uids]
        for uid in hidden:
            if uid not in _uids(choice.cards) and free:
                card = next(card for card in me.hand + me.draw_pile if card.uid == uid)
                _exchange(free.pop(), card, me.hand, me.draw_pile, choice.cards)
    else:
        before = me.hand.copy()
        _hold(me, hidden)
        for old, new in zip(before, me.hand, strict=True):
            choice.cards[:] = [new if card is old else card for card in choice.cards]
        if choice.follow_up == "complete-hlaalu":
            choice.cards = for_hlaalu(table)
    choice.cards.sort(key=lambda card: [*hidden, card.uid].index(card.uid))


def _hold(me: Player, uids: Sequence[int]) -> None:
    others = [card for card in me.hand if card.uid not in uids]
    for uid in uids:
        if uid not in _uids(me.hand):
            card = next((card for card in me.draw_pile if card.uid == uid), None)
            if card is None or not others:
                raise DifferenceError("a card that can be in the hand")
            _exchange(others.pop(), card, me.hand, me.draw_pile)


def _exchange(one: Card, other: Card, *piles: list[Card]) -> None:
    for pile in piles:
        pile[:] = [other if card is one else one if card is other else card for card in pile]


def _uids(cards: Sequence[Card]) -> set[int]:
    return {card.uid for card in cards}

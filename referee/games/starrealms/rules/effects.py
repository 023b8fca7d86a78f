"""The effects of card abilities (protocol, 4.3, 4.4).

`act` carries out the words of cards.py that ask nothing. Each of the others has a generator, which
gets the table, the turn, the card and the number after the word. If a Stealth Needle has copied a
ship, the card is that ship. Effects that can't be carried out are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from referee.games.interface.faults import describe
from referee.games.interface.game import Request
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import CARDS, Ability, Card
from referee.games.starrealms.rules.faults import BAD_PICKS
from referee.games.starrealms.rules.player import TurnState
from referee.games.starrealms.rules.table import Table
from referee.games.starrealms.rules.view import state_of

Decisions: TypeAlias = Generator[Request, Any, None]
"""Yields each request and receives its reply: a reply struct or `InvalidReply`."""


def happen(table: Table, turn: TurnState, card: Card, ability: Ability) -> Decisions:
    """Carry out an ability of a card. If it has alternatives, the player chooses one first."""
    if not ability:
        return
    effects = ability[0]
    if len(ability) > 1:
        options = [
            say.Option(option=number, effects=[{word: count} for word, count in offered])
            for number, offered in enumerate(ability, 1)
        ]
        # With must=True, ask() falls back to the first option if the reply is invalid.
        (pick,) = yield from ask(table, turn, "option", card, options, must=True)
        effects = ability[pick]
        table.events.append(say.PlayerChose(turn.player.number, card.name, pick + 1))
    for word, number in effects:
        if word in QUESTIONS:
            yield from QUESTIONS[word](table, turn, card, number)
        else:
            act(table, turn, word, number)


def act(table: Table, turn: TurnState, word: str, number: int) -> None:
    """Carry out an effect that asks nothing."""
    player, made = turn.player, turn.player.made
    match word:
        case "combat":
            turn.combat += number
            made.combat += number
        case "trade":
            turn.trade += number
            made.trade += number
        case "draw":
            table.draw(player, number)
        case "authority":
            player.authority += number
            made.authority += number
        case "opponent_discard":
            turn.opponent.due += number
        case "next_ship_to_top":
            turn.next_ship_to_top = True
        case "draw_with_two_bases":
            if len(player.bases()) >= 2:
                table.draw(player, number)
        case "draw_per_blob_card_played_this_turn":
            table.draw(player, number * turn.blobs())


# --- questions in the middle of a turn (6) --------------------------------------------------------


def cards_in(place: str, cards: Iterable[str]) -> list[say.Option]:
    """Turn cards into options for a `choose`. `place` is the pile that they're in."""
    return [say.Option(card, place) for card in cards]


def ask(
    table: Table,
    turn: TurnState,
    kind: str,
    card: Card | None,
    options: Sequence[say.Option],
    *,
    most: int = 1,
    must: bool = False,
) -> Generator[Request, Any, Sequence[int]]:
    """Ask the player to pick up to `most` options, or exactly `most` if `must` is True.

    Returns the indices of the picked options. If there aren't enough options, the player picks
    fewer: with one card in the hand, "discard two" becomes "discard one". Without any options, the
    player doesn't get a request.
    """
    if not options:
        return ()
    most = min(most, len(options))
    least = most if must else 0
    name = None if card is None else card.name
    # Remember the question until it's answered, because views show it, and because the game can't
    # be copied in the meantime.
    turn.question = say.Choose(kind, name, list(options), least, most, state_of(table, turn))
    reply = yield Request(turn.player.seat, turn.question)
    turn.question = None
    if type(reply) is say.ChooseReply:
        problem = _problem(reply.picks, least, most, len(options))
        if not problem:
            return [int(pick) for pick in reply.picks]
        table.fault(turn.player, BAD_PICKS, problem)
    else:
        table.no_reply(turn.player, reply, "a play-reply answers a choose", "6.3")
    # The reply is invalid. Pick as few options as the rules allow, starting from the first.
    return range(least)


def _problem(picks: Any, least: int, most: int, options: int) -> str:
    if not isinstance(picks, list):
        return f"`picks` is {describe(picks)}, not a list"
    for place, pick in enumerate(picks):
        # True is an int in Python, but true isn't a number in JSON.
        if type(pick) not in (int, float) or pick not in range(options):
            return f"picks[{place}] is {describe(pick)}, not an index from 0 to {options - 1}"
        if pick in picks[:place]:
            return f"picks[{place}] is {describe(pick)}, which was picked before"
    if not least <= len(picks) <= most:
        wanted = str(most) if least == most else f"{least} to {most}"
        return f"{len(picks)} picks where {wanted} are due"
    return ""


# --- effects that ask the player ------------------------------------------------------------------


def _scrap_trade_row(table: Table, turn: TurnState, card: Card, number: int) -> Decisions:
    options = cards_in("trade-row", table.row)
    for pick in (yield from ask(table, turn, "scrap-trade-row", card, options, most=number)):
        table.scrap_from_row(turn.player, pick)


def _destroy_base(table: Table, turn: TurnState, card: Card, number: int) -> Decisions:
    bases = turn.opponent.exposed()
    options = cards_in("opponent", [base.card.name for base in bases])
    for pick in (yield from ask(table, turn, "destroy-base", card, options, most=number)):
        table.destroy(turn.opponent, bases[pick], 0)
        turn.player.made.destroyed += 1


def _gain_ship(table: Table, turn: TurnState, card: Card, number: int) -> Decisions:
    ships = [place for place, name in enumerate(table.row) if CARDS[name].is_ship]
    options = cards_in("trade-row", [table.row[place] for place in ships])
    for pick in (yield from ask(table, turn, "gain-ship", card, options, most=number)):
        table.gain(turn.player, ships[pick], 0, "deck")


def _scrap_then_draw(table: Table, turn: TurnState, card: Card, number: int) -> Decisions:
    scrapped = yield from _scrap(table, turn, card, number)
    table.draw(turn.player, scrapped)


def _scrap_from_hand(table: Table, turn: TurnState, card: Card, number: int) -> Decisions:
    options = cards_in("hand", turn.player.hand)
    for pick in (yield from ask(table, turn, "scrap", card, options, most=number, must=True)):
        table.scrap(turn.player, turn.player.hand.pop(pick), "hand")


def _scrap(table: Table, turn: TurnState, card: Card, number: int) -> Generator[Request, Any, int]:
    player = turn.player
    options = cards_in("discard", player.discard) + cards_in("hand", player.hand)
    picks = yield from ask(table, turn, "scrap", card, options, most=number)
    # The picks are indices into the full piles, so look up all cards before removing any of them.
    cards, in_discard = player.discard + player.hand, len(player.discard)
    for pick in sorted(picks, reverse=True):  # from the end, so the remaining indices stay valid
        if pick < in_discard:
            del player.discard[pick]
        else:
            del player.hand[pick - in_discard]
    for pick in picks:
        table.scrap(player, cards[pick], "discard" if pick < in_discard else "hand")
    return len(picks)


def _discard_then_draw(table: Table, turn: TurnState, card: Card, number: int) -> Decisions:
    discarded = yield from discard_from_hand(table, turn, card, number)
    table.draw(turn.player, discarded)


def discard_from_hand(
    table: Table, turn: TurnState, card: Card | None, number: int
) -> Generator[Request, Any, int]:
    """Let the player discard up to `number` cards, and return how many were discarded.

    If `card` is None, the opponent has forced these discards, and the player can't discard fewer
    (4.6).
    """
    hand = turn.player.hand
    options, must = cards_in("hand", hand), card is None
    picks = yield from ask(table, turn, "discard", card, options, most=number, must=must)
    cards = [hand[pick] for pick in picks]
    for pick in sorted(picks, reverse=True):
        del hand[pick]
    table.discard(turn.player, cards)
    return len(cards)


def _copy_ship(table: Table, turn: TurnState, card: Card, number: int) -> Decisions:
    # The Needle was put into play just before its effects, so it's the newest card.
    needle = turn.player.in_play[-1]
    ships = [piece for piece in turn.player.in_play[:-1] if piece.card.is_ship]
    options = cards_in("play", [ship.card.name for ship in ships])
    for pick in (yield from ask(table, turn, "copy-ship", card, options, most=number)):
        copied = needle.acts = ships[pick].card
        turn.copied = copied.name
        table.events.append(say.PlayerCopied(turn.player.number, copied.name))
        yield from happen(table, turn, copied, copied.primary)


QUESTIONS: Mapping[
    str, Callable[[Table, TurnState, Card, int], Generator[Request, Any, object]]
] = {
    "scrap_trade_row": _scrap_trade_row,
    "scrap_hand_or_discard": _scrap,
    "scrap_then_draw": _scrap_then_draw,
    "scrap_from_hand": _scrap_from_hand,
    "discard_up_to_then_draw_that_many": _discard_then_draw,
    "destroy_base": _destroy_base,
    "gain_ship": _gain_ship,
    "copy_ship": _copy_ship,
}
"""The function for each word in cards.py that asks the player something."""

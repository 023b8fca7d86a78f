"""The effects of the ten kingdom cards (protocol-v1, 6 and 7).

Before an effect runs, the turn has already spent the action and removed the card from the hand
(5.3). Most effects are simple functions. A militia has to wait for the other players' replies, so
its effect is a generator that yields requests.

If the parameters are invalid, an effect raises `BadParametersError` before it changes anything. The
turn then puts the card back into the hand (5.4).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any, TypeAlias

from referee.games.dominion.rules import messages as say
from referee.games.dominion.rules.cards import CARDS, COST, KINGDOM, MILITIA_HAND_SIZE
from referee.games.dominion.rules.choices import EXCHANGES, gain_limit, gainable
from referee.games.dominion.rules.faults import BAD_DISCARD, BAD_PARAMETERS, NO_MOAT
from referee.games.dominion.rules.player import Player, TurnState
from referee.games.dominion.rules.table import Table
from referee.games.interface.faults import describe
from referee.games.interface.game import LEFT, Request

Parameters: TypeAlias = Mapping[str, Any]
Decisions: TypeAlias = Generator[Request, Any, None]
"""A generator that yields requests. Send it the replies: structs, `InvalidReply` or `LEFT`."""
Effect: TypeAlias = Callable[[Table, TurnState, Parameters], Decisions | None]


class BadParametersError(Exception):
    """The parameters of an action card are invalid, so the card is "consumed" (6).

    The action is lost, but the card stays in hand (5.4). The message of the exception describes
    the mistake.
    """


def _give(card: str, table: Table, turn: TurnState, parameters: Parameters) -> None:
    data = CARDS[card]
    if data.cards:
        table.draw(turn.player, data.cards)
    turn.actions += data.actions
    turn.buys += data.buys
    turn.money += data.money


def _cellar(table: Table, turn: TurnState, parameters: Parameters) -> None:
    player = turn.player
    _give("cellar", table, turn, parameters)
    cards = parameters.get("cards", [])
    if not isinstance(cards, list):
        table.fault(player, BAD_PARAMETERS, f"cellar: `cards` is {describe(cards)}, not a list")
        # That's a fault, but the cellar is played anyway, with an empty list (6.1).
        cards = []
    discarded = []
    for place, card in enumerate(cards):
        if card not in player.hand:
            detail = f"cellar: cards[{place}] is {describe(card)}, which is not in hand (any more)"
            table.fault(player, BAD_PARAMETERS, detail)
            # The cards before the wrong one are discarded anyway, so we stop here but don't raise.
            break
        player.hand.remove(card)
        discarded.append(card)
    table.discard(player, discarded)
    table.draw(player, len(discarded))


def _militia(table: Table, turn: TurnState, parameters: Parameters) -> Decisions:
    _give("militia", table, turn, parameters)
    for other in table.others(turn.player):
        if len(other.hand) > MILITIA_HAND_SIZE:
            yield from _attack(table, other)


def _attack(table: Table, player: Player) -> Decisions:
    count = len(player.hand) - MILITIA_HAND_SIZE
    reply = yield Request(player.seat, say.AttackRequest(count, player.shown_hand()))
    # A player who leaves doesn't discard.
    if reply is LEFT:
        return
    if type(reply) is say.AttackReplyReaction:
        problem = f'`reaction` is {describe(reply.reaction)}, not "moat"'
        if reply.reaction == "moat":
            if "moat" in player.hand:
                table.events.append(say.PlayerReveal(player.number, "hand", ["moat"]))
                return
            problem = "reveals a moat without one in hand"
        table.fault(player, NO_MOAT, problem)
    elif type(reply) is say.AttackReply:
        # Work on a copy. If there's anything wrong with the list, the hand stays as it is.
        kept, problem = player.hand.copy(), ""
        if not isinstance(reply.discard, list):
            problem = f"`discard` is {describe(reply.discard)}, not a list"
        else:
            for card in reply.discard:
                if card not in kept:
                    problem = f"discards {describe(card)}, which is not in hand (any more)"
                    break
                kept.remove(card)
            if not problem and len(reply.discard) != count:
                problem = f"discards {len(reply.discard)} cards where {count} are due"
        if not problem:
            player.hand = kept
            table.discard(player, reply.discard)
            return
        table.fault(player, BAD_DISCARD, problem)
    else:
        table.no_reply(player, reply, "a play-reply answers an attack-request", "7.4")
    # After any mistake, the player still discards, but the referee chooses the cards (7.4).
    table.discard(player, table.take_at_random(player, count))


def _exchange(
    card: str, table: Table, turn: TurnState, parameters: Parameters, *, to_hand: bool
) -> None:
    # Mines and remodels work the same way. They accept different cards, and a mine puts the new
    # card into the hand (6).
    player, supply = turn.player, table.supply.counts
    trashed = parameters.get("card_to_trash")
    if not isinstance(trashed, str) or trashed not in EXCHANGES[card]:
        raise BadParametersError(f"`card_to_trash` is {describe(trashed)}")
    if trashed not in player.hand:
        raise BadParametersError(f"`card_to_trash` is {describe(trashed)}, which is not in hand")
    desired: Any = parameters.get("desired_card")
    possible = gainable(card, supply, trashed)
    # If there's nothing to gain, it doesn't matter which card the bot asked for.
    if possible and desired not in possible:
        raise BadParametersError(_why_not_gained(supply, desired, card, trashed))
    table.trash(player, trashed)
    if possible:  # otherwise nothing is gained
        turn.gained.append(desired)
        table.gain(player, desired, to_hand=to_hand)


def _workshop(table: Table, turn: TurnState, parameters: Parameters) -> None:
    desired: Any = parameters.get("desired_card")
    if desired not in gainable("workshop", table.supply.counts):
        raise BadParametersError(_why_not_gained(table.supply.counts, desired, "workshop"))
    turn.gained.append(desired)
    table.gain(turn.player, desired)


def _why_not_gained(
    supply: Mapping[str, int], desired: object, card: str, trashed: str | None = None
) -> str:
    if not isinstance(desired, str) or desired not in COST:
        return f"`desired_card` is {describe(desired)}"
    if desired not in EXCHANGES.get(card, COST):
        return f"`desired_card` is {describe(desired)}, which is not a treasure"
    if not supply[desired]:
        return f"`desired_card` is {describe(desired)}, whose pile is empty"
    limit = gain_limit(card, trashed)
    return f"`desired_card` is {describe(desired)}, which costs {COST[desired]}, not up to {limit}"


EFFECTS: Mapping[str, Effect] = {
    **{card: partial(_give, card) for card in KINGDOM},  # all that the card's row says
    "cellar": _cellar,
    "militia": _militia,
    "mine": partial(_exchange, "mine", to_hand=True),
    "remodel": partial(_exchange, "remodel", to_hand=False),
    "workshop": _workshop,
}

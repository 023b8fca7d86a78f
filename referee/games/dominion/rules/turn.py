"""One turn, from its first request to the end of its clean-up (protocol-v1, 5).

A turn is a generator that yields each `play-turn` and receives the reply. An illegal reply is a
fault, and section 5 says for each kind of fault whether the turn continues. Mind the difference
between `break` (the turn ends) and falling through to the next request.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from referee.games.dominion.rules import faults
from referee.games.dominion.rules.cards import COST, HAND_SIZE, WORTH
from referee.games.dominion.rules.effects import EFFECTS, BadParametersError, Decisions
from referee.games.dominion.rules.messages import PlayerPlayed, PlayReply, PlayTurn
from referee.games.dominion.rules.player import Player, TurnState
from referee.games.dominion.rules.table import Table
from referee.games.interface.faults import describe
from referee.games.interface.game import LEFT, Request


def play_turn(table: Table, turn: TurnState) -> Decisions:
    """Play a turn, or the rest of it, including the clean-up."""
    player = turn.player
    top_discard = None
    # A player may leave in the middle of its turn.
    while not player.left:
        reply = yield Request(
            player.seat,
            PlayTurn(
                turn.actions,
                turn.buys,
                turn.money,
                player.shown_hand(),
                player.in_play.copy(),
                turn.bought.copy(),
                turn.gained.copy(),
            ),
        )
        if type(reply) is not PlayReply:
            if reply is not LEFT:
                table.no_reply(player, reply, "an attack reply answers a play-turn", "5.5")
            break
        phase = reply.phase
        if phase == "buy":
            if not turn.buys:
                table.fault(player, faults.NO_BUYS, "a buy reply with no buys left")
                break
            _buy(table, turn, reply)
        elif phase == "cleanup":
            top_discard = reply.top_discard
            break
        elif phase == "action":
            if not turn.actions:
                table.fault(player, faults.NO_ACTIONS, "an action reply with no actions left")
                break
            yield from _play_action(table, turn, reply)
        else:
            detail = f'`phase` is {describe(phase)}, not "action", "buy" or "cleanup"'
            table.fault(player, faults.BAD_PHASE, detail)
            break
    _clean_up(table, player, top_discard)


def _play_action(table: Table, turn: TurnState, reply: PlayReply) -> Decisions:
    player = turn.player
    card: Any = reply.card
    # The action is spent even if the reply turns out to be wrong, so a bot can't try again and
    # again.
    turn.actions -= 1
    if not isinstance(card, str) or card not in EFFECTS:
        shown = "missing" if card is UNSET else describe(card)
        table.fault(player, faults.NOT_AN_ACTION, f"`card` is {shown}, which is not an action card")
        return
    if card not in player.hand:
        table.fault(player, faults.NOT_IN_HAND, f"`card` is {describe(card)}, which is not in hand")
        return
    parameters = reply.additional_parameters
    if not isinstance(parameters, dict):
        parameters = {}
    # Remember where the card was. If it can't be played, we put it back there, because requests
    # show the hand in the order drawn.
    place = player.hand.index(card)
    del player.hand[place]
    player.in_play.append(card)
    table.played(player, card)
    try:
        decisions = EFFECTS[card](table, turn, parameters)
    except BadParametersError as problem:
        player.in_play.pop()
        player.hand.insert(place, card)
        table.played(player, card, back=True)
        table.fault(player, faults.BAD_PARAMETERS, f"{card}: {problem}")
        return
    player.actions_played.add(card)
    if decisions is not None:
        yield from decisions


def _buy(table: Table, turn: TurnState, reply: PlayReply) -> None:
    money = _play_treasures(table, turn, reply.played_treasures)
    if money is not None:
        _buy_cards(table, turn, reply.cards_to_buy, money)
    turn.actions = turn.buys = turn.money = 0


def _play_treasures(table: Table, turn: TurnState, treasures: Any) -> int | None:
    """Play treasures from left to right, and return the total money.

    If there's a mistake in the list, return None. The player can't buy anything then.
    """
    player = turn.player
    money = turn.money
    if treasures is UNSET:
        return money
    if not isinstance(treasures, list):
        detail = f"`played_treasures` is {describe(treasures)}, not a list"
        table.fault(player, faults.BAD_TREASURE, detail)
        return None
    hand, in_play = player.hand, player.in_play
    before = len(in_play)
    # We don't check the list in advance, because nearly all lists are right, and this is faster.
    # (We get a TypeError if a "card" isn't hashable, for example if it's a list.)
    for card in treasures:
        try:
            money += WORTH[card]
            hand.remove(card)
        except (KeyError, TypeError, ValueError) as error:
            is_treasure = isinstance(error, ValueError)
            problem = "is not in hand (any more)" if is_treasure else "is not a treasure"
            place = len(in_play) - before
            detail = f"played_treasures[{place}] is {describe(card)}, which {problem}"
            table.fault(player, faults.BAD_TREASURE, detail)
            return None
        in_play.append(card)
        # This is the most frequent step of a match, so avoid a useless call.
        if table.watchers:
            table.played(player, card)
    return money


def _buy_cards(table: Table, turn: TurnState, cards: Any, money: int) -> None:
    """Buy cards from left to right while buys and money last."""
    if cards is UNSET:
        return
    player = turn.player
    if not isinstance(cards, list):
        table.fault(player, faults.CANNOT_BUY, f"`cards_to_buy` is {describe(cards)}, not a list")
        return
    buys, piles = turn.buys, table.supply.counts
    # Each card is checked when it's bought, since the ones before may have emptied its pile.
    for card in cards:
        if not isinstance(card, str) or card not in piles:
            problem = "which is not a card"
        elif not piles[card]:
            problem = "whose pile is empty"
        elif not buys:
            problem = "with no buys left"
        elif COST[card] > money:
            problem = f"which costs {COST[card]}, with {money} left"
        else:
            turn.bought.append(card)
            turn.gained.append(card)
            table.gain(player, card, money=money)
            buys -= 1
            money -= COST[card]
            continue
        # This card can't be bought. The ones before it stay bought, and the rest is dropped.
        place = turn.buys - buys
        detail = f"cards_to_buy[{place}] is {describe(card)}, {problem}"
        table.fault(player, faults.CANNOT_BUY, detail)
        return


def _clean_up(table: Table, player: Player, top_discard: Any) -> None:
    if player.in_play:
        table.events.append(PlayerPlayed(player.number, player.in_play))
    pile = player.hand + player.in_play
    if top_discard is not None:
        if top_discard in pile:
            pile.remove(top_discard)
            # If top_discard is wrong, that's a fault, but we clean up anyway.
            pile.append(top_discard)
        else:
            detail = f"`top_discard` is {describe(top_discard)}, which is not in hand or in play"
            table.fault(player, faults.BAD_TOP_DISCARD, detail)
    player.hand = []
    played, player.in_play = player.in_play, []
    table.discard(player, pile, played)
    table.draw(player, HAND_SIZE)

"""What the match page shows of Star Realms beside its views: facts of the cards, a log's views.

drawing.js, drawing.css    the table, as the browser draws it
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from referee.games.interface.page import Page, Series
from referee.games.interface.seats import seat_of
from referee.games.starrealms.checker import Known
from referee.games.starrealms.person import does
from referee.games.starrealms.rules.cards import CARDS, EXPLORER, TRADE_DECK, Ability
from referee.games.starrealms.rules.messages import (
    BaseDestroyed,
    GameInfo,
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
    TradeRow,
    TurnEnded,
    TurnStarted,
)
from referee.games.starrealms.rules.player import Piece, Turn
from referee.games.starrealms.rules.view import SeatView, View, by_name, in_play


def _facts(options: Any) -> dict[str, Any]:
    """What the drawing has to know of the cards.

    Returns:
        cards: card -> its faction, type, cost, defence and what it does.
        factions: faction -> its name.
        pile: the card that lies in a pile beside the row.
    """
    cards = {
        name: {
            "faction": card.faction,
            "type": card.type,
            "cost": card.cost,
            "defense": card.defense,
            "text": does(card),
        }
        for name, card in CARDS.items()
    }
    factions = {card.faction: card.faction.replace("_", " ").title() for card in CARDS.values()}
    return {"cards": cards, "factions": factions, "pile": EXPLORER}


def _authority(view: View) -> list[float]:
    return [seat.authority for seat in view.seats]


def _cards(view: View) -> list[float]:
    return [len(seat.hidden) + len(seat.discard) + len(seat.in_play) for seat in view.seats]


def _of_turn(name: str) -> Callable[[View], list[float]]:
    """What the player whose turn it is has to spend; the other has nothing."""

    def of(view: View) -> list[float]:
        return [getattr(view, name) * (seat == view.player) for seat in range(len(view.seats))]

    return of


class Spectator:
    """Implements `referee.games.interface.page.Spectator` for Star Realms.

    Public messages do not say that a turn is cleaned up before it has ended. What is drawn while
    no ability draws belongs to that.
    """

    def __init__(self, seats: int) -> None:
        self._players = [Known(seat) for seat in range(seats)]
        self._turn: Any = Turn(*self._players)
        self._number = 0
        self._row: list[str] = []
        self._trade_deck = len(TRADE_DECK)
        self._explorers = 0
        self._draws = 0  # cards that an ability still draws
        self._draws_for = ""  # the word of an ability that draws for what is told next

    def hear(self, message: Struct) -> bool:
        """Take a public message; the row follows those that change it, the turn's end a draw."""
        turn = self._turn
        match message:
            case GameInfo():
                return False
            case TradeRow(cards=row, deck=deck, explorers=explorers):
                self._row, self._trade_deck, self._explorers = row, deck, explorers
            case TurnStarted(turn=number, player_number=whose):
                self._begin(number, whose)
            case TurnEnded():
                self._clean_up(message)
            case PlayerDiscarded(cards=cards):
                for card in cards:
                    self._leaves_hand(card)
                turn.player.discard += cards
                if self._draws_for == "discard_up_to_then_draw_that_many":
                    self._draws, self._draws_for = len(cards), ""
            case PlayerPlayed(card=card) if card in CARDS:
                self._plays(card)
            case PlayerUsed(card=card, ability=ability):
                self._uses(card, ability)
            case PlayerChose(card=card, option=option) if card in CARDS:
                self._happens(CARDS[card].primary[option - 1 : option])
            case PlayerCopied(card=card) if card in CARDS and turn.player.in_play:
                turn.player.in_play[-1].acts = CARDS[card]
                turn.copied = card
                self._happens(CARDS[card].primary)
            case PlayerScrapped(card=card, from_=place):
                self._scraps(card, place)
                return card != EXPLORER and place != "trade-row"
            case PlayerGained():
                self._gains(message)
                return False
            case PlayerDrew(count=count):
                return self._drew(count)
            case PlayerShuffled():
                return self._shuffled()
            case BaseDestroyed(card=card, combat=combat):
                turn.combat -= combat
                self._destroyed(card)
            case PlayerAttacked(authority=left):
                turn.opponent.authority = left
                turn.combat = 0
        return True

    def view(self) -> View:
        """What `Game.view(PUBLIC)` says."""
        turn = self._turn
        return View(
            self._number,
            turn.player.seat,
            turn.trade,
            turn.combat,
            turn.next_ship_to_top,
            turn.played.copy(),
            turn.copied,
            self._row,
            self._trade_deck,
            self._explorers,
            [_seat(player) for player in self._players],
            None,
            None,
        )

    def _begin(self, number: int, whose: str) -> None:
        seat = seat_of(whose, len(self._players))
        if seat is not None:
            self._turn = Turn(self._players[seat], self._players[1 - seat])
        self._number = number
        self._draws, self._draws_for = 0, ""
        self._turn.player.turns += 1
        self._turn.player.due = 0

    def _clean_up(self, ended: TurnEnded) -> None:
        turn = self._turn
        player: Known = turn.player
        turn.trade = turn.combat = 0
        turn.next_ship_to_top = False
        player.discard += [piece.card.name for piece in player.in_play if piece.card.is_ship]
        player.in_play = player.bases()
        for base in player.in_play:
            base.refresh()
        sizes = zip(self._players, ended.hand, ended.deck, ended.discard, strict=False)
        for each, hand, deck, discarded in sizes:
            each.hand_size, each.deck_size = hand, deck
            if each is player and not discarded:  # it was shuffled
                each.hidden.update(each.discard)
                each.discard = []

    def _plays(self, card: str) -> None:
        turn = self._turn
        self._leaves_hand(card)
        piece = Piece(CARDS[card])
        turn.player.in_play.append(piece)
        turn.played.append(card)
        if piece.card.is_ship:
            piece.used = True
            turn.combat += turn.player.constant("combat_per_ship")
            self._acts(piece.card.primary)

    def _uses(self, card: str, ability: str) -> None:
        player = self._turn.player
        if ability == "ally":
            pieces = (p for p in player.in_play if p.acts.ally and not p.ally_used)
            piece = next((p for p in pieces if p.card.name == card and player.has_ally(p)), None)
            if piece is not None:
                piece.ally_used = True
                self._acts(piece.acts.ally)
        else:
            pieces = (p for p in player.in_play if not p.used and not p.card.is_ship)
            piece = next((p for p in pieces if p.card.name == card), None)
            if piece is not None:
                piece.used = True
                self._acts(piece.card.primary)

    def _scraps(self, card: str, place: str) -> None:
        player = self._turn.player
        if place == "play":
            pieces = (p for p in player.in_play if p.acts.scrap and p.card.name == card)
            piece = next(pieces, None)
            if piece is not None:
                player.in_play.remove(piece)
                self._acts(piece.acts.scrap)
        elif place == "hand":
            self._leaves_hand(card)
        elif card in player.discard:
            player.discard.remove(card)
        if place in ("hand", "discard") and self._draws_for == "scrap_then_draw":
            self._draws += 1

    def _gains(self, message: PlayerGained) -> None:
        turn, card = self._turn, message.gained
        turn.trade -= message.paid
        if message.paid and card in CARDS and CARDS[card].is_ship:
            turn.next_ship_to_top = False
        if message.to == "deck":
            turn.player.hidden[card] += 1
            turn.player.deck_size += 1
        else:
            turn.player.discard.append(card)

    def _destroyed(self, card: str) -> None:
        owner = self._turn.opponent
        base = next((base for base in owner.exposed() if base.card.name == card), None)
        if base is not None:
            owner.in_play.remove(base)
            owner.discard.append(card)

    def _drew(self, count: int) -> bool:
        """Returns whether an ability drew them."""
        if count > self._draws:
            return False
        self._draws -= count
        self._turn.player.hand_size += count
        self._turn.player.deck_size -= count
        return True

    def _shuffled(self) -> bool:
        """Returns whether an ability draws; else the turn's ships are shuffled as well."""
        player = self._turn.player
        player.shuffles += 1
        if not self._draws:
            return False
        player.hidden.update(player.discard)
        player.deck_size = len(player.discard)
        player.discard = []
        return False

    def _leaves_hand(self, card: str) -> None:
        player = self._turn.player
        player.hidden[card] -= 1
        player.hand_size -= 1

    def _acts(self, ability: Ability) -> None:
        """An ability happens; of several lists `PlayerChose` tells which."""
        self._happens(ability if len(ability) == 1 else ())

    def _happens(self, ability: Ability) -> None:
        turn = self._turn
        player = turn.player
        draws, self._draws_for = 0, ""
        for word, number in (effect for effects in ability for effect in effects):
            match word:
                case "trade":
                    turn.trade += number
                case "combat":
                    turn.combat += number
                case "authority":
                    player.authority += number
                case "opponent_discard":
                    turn.opponent.due += number
                case "next_ship_to_top":
                    turn.next_ship_to_top = True
                case "draw":
                    draws += number
                case "draw_with_two_bases" if len(player.bases()) >= 2:
                    draws += number
                case "draw_per_blob_card_played_this_turn":
                    draws += number * turn.blobs()
                case "scrap_then_draw" | "discard_up_to_then_draw_that_many":
                    self._draws_for = word
        self._draws = min(draws, player.deck_size + len(player.discard))


def _seat(player: Known) -> SeatView:
    return SeatView(
        player.authority,
        player.hand_size,
        player.deck_size,
        None,
        None,
        sorted(player.hidden.elements()),
        sorted(player.discard),
        by_name(in_play(player)),
        player.due,
        player.shuffles,
        player.turns,
    )


PAGE = Page(
    folder=Path(__file__).parent,
    series=(
        Series("authority", "", _authority),
        Series("trade", "to spend", _of_turn("trade")),
        Series("combat", "to spend", _of_turn("combat")),
        Series("cards", "owned", _cards),
    ),
    facts=_facts,
    spectator=Spectator,
)

"""A second checker for Star Realms logs, written independently of the rules.

The checker is a generator that reads messages in the order in which the rules would send them. It
takes the next message if only one kind can follow, and looks ahead if there are several. It counts
a player's hand and deck together. After the first deviation nobody knows who has which cards, so
from there on it checks only turns and authority.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from referee.games.interface.capabilities import Finding
from referee.games.interface.faults import EndReason
from referee.games.interface.log_player import End, Gone
from referee.games.interface.seats import seat_id
from referee.games.starrealms.rules.cards import (
    CARDS,
    EXPLORER,
    STARTING_DECK,
    TRADE_DECK,
    Ability,
    Card,
)
from referee.games.starrealms.rules.game import AUTHORITY
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
from referee.games.starrealms.rules.player import FIRST_HANDS, HAND_SIZE, Piece, Player, TurnState
from referee.games.starrealms.rules.table import ROW_SIZE

T = TypeVar("T", bound=Struct)
Reading: TypeAlias = Generator[None, None, T]
"""A generator that suspends itself until the next message has arrived."""


class _DepartureError(Exception):
    """Raised for a message that the rules don't allow at this point."""


class Known(Player):
    """What the log shows of a player. The inherited `hand` and `deck` stay empty.

    Attributes:
        hidden: the cards of hand and deck together.
        hand_size, deck_size: the number of cards in each of them.
    """

    __slots__ = ("deck_size", "hand_size", "hidden")

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.hidden = Counter(STARTING_DECK)
        self.hand_size = FIRST_HANDS[seat]
        self.deck_size = len(STARTING_DECK) - self.hand_size


class Checker:
    """Implements `referee.games.interface.capabilities.LogChecker` for Star Realms.

    Args:
        names: the players' names, in seat order.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._players = [Known(seat) for seat in range(len(FIRST_HANDS))]
        self._turn = TurnState(*self._players)
        self._number = 0
        self._in_turn = False
        self._max_turns = 0
        self._row: list[str] = []
        self._trade_deck = Counter(TRADE_DECK)  # the cards that haven't appeared yet
        self._explorers = 0
        self._gone: set[int] = set()
        self._sure = True  # False after the first deviation
        self._waiting: deque[tuple[int, Struct]] = deque()
        self._line = 0
        self._found: list[Finding] = []
        self._script = self._match()
        next(self._script)

    def read(self, line: int, message: Struct) -> list[Finding]:
        """Read one of the game's public messages, `Gone` or `End`."""
        if isinstance(message, Gone):
            self._gone.add(message.seat)
            return self._taken()
        if isinstance(message, End):
            return self._read_end(line, message.scores, message.winners, message.reason)
        self._waiting.append((line, message))
        self._script.send(None)
        return self._taken()

    def _read_end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        self._line = line
        with suppress(_DepartureError):
            self._check_end(list(scores), list(winners), reason)
        return self._taken()

    def _taken(self) -> list[Finding]:
        found, self._found = self._found, []
        return found

    # --- reading --------------------------------------------------------------------------------

    def _ahead(self, place: int = 0) -> Reading[Any]:
        """Peek at an unread message. 0 is the next one, 1 the one after it."""
        while len(self._waiting) <= place:
            yield
        return self._waiting[place][1]

    def _take(
        self, kind: type[T], section: str = "2.22", *, whose: Player | None = None
    ) -> Reading[T]:
        """Read the next message, which must be of this kind and about this player."""
        message = yield from self._ahead()
        whose = whose or self._turn.player
        self._line = self._waiting.popleft()[0]
        number = getattr(message, "player_number", whose.number)
        if not isinstance(message, kind) or number != whose.number:
            tag = kind.__struct_config__.tag
            owner = f" of {whose.number}" if hasattr(kind, "player_number") else ""
            self._depart(section, f"{tag}{owner}", message)
        taken: T = message
        return taken

    def _depart(self, section: str, expected: str, found: object) -> None:
        """Record a finding and stop following the match in detail."""
        shown = found if isinstance(found, str) else _shown(found)
        self._found.append(Finding(self._line, section, expected, shown))
        self._sure = False
        raise _DepartureError

    def _check(self, holds: bool, section: str, expected: str, found: object) -> None:
        if not holds:
            self._depart(section, expected, found)

    # --- the match ------------------------------------------------------------------------------

    def _match(self) -> Generator[None, None, None]:
        try:
            info = yield from self._take(GameInfo)
            names = info.player_bot_names
            self._check(names == self._names, "2.3", f"the names {self._names}", info)
            self._max_turns, self._explorers = info.max_turns, info.explorers
            row = yield from self._take(TradeRow)
            self._row = list(row.cards)
            self._check(not Counter(self._row) - self._trade_deck, "4.1", "cards of 7", row)
            self._trade_deck -= Counter(self._row)
            full = (ROW_SIZE, self._trade_deck.total(), self._explorers)
            self._check((len(row.cards), row.deck, row.explorers) == full, "4.1", "the deal", row)
            while True:
                yield from self._play_turn()
        except _DepartureError:
            pass
        yield from self._outline()

    def _outline(self) -> Generator[None, None, None]:
        """Check only turns and authority, starting at the next end of a turn.

        Each message is compared with the totals in the earlier ones, even if those were wrong.
        """
        ended: TurnEnded | None = None  # the end of the previous turn
        started: TurnStarted | None = None  # the start of the current turn
        left: int | None = None  # remaining authority of the player under attack
        while True:
            message = yield from self._ahead()
            self._line = self._waiting.popleft()[0]
            try:
                match message:
                    case TurnStarted():
                        before, ended, started, left = ended, None, message, None
                        if before is not None:
                            left = before.authority[(before.turn - 1) % 2]
                            follows = TurnStarted(before.turn + 1, seat_id(before.turn % 2))
                            self._check(message == follows, "2.7", _shown(follows), message)
                    case PlayerAttacked(combat=combat, authority=authority) if left is not None:
                        should, left = left - combat, authority
                        self._check(authority == should, "4.7", f"authority {should}", message)
                    case TurnEnded():
                        self._check(ended is None, "2.22", "turn-started", message)
                        turn = TurnStarted(message.turn, message.player_number)
                        self._check(started in (None, turn), "2.19", _shown(started), message)
                        right = len(message.authority) == len(self._players)
                        right = right and left in (None, message.authority[message.turn % 2])
                        self._check(right, "2.19", f"authority {left} of the other", message)
                        ended, started = message, None
            except _DepartureError:
                ended = started = left = None

    def _play_turn(self) -> Generator[None, None, None]:
        player: Any = self._players[self._number % 2]
        other: Any = self._players[1 - self._number % 2]
        self._turn = turn = TurnState(player, other)
        started = yield from self._take(TurnStarted)
        over = self._number >= 2 * self._max_turns or other.authority <= 0 or player.authority <= 0
        self._check(not over and not self._gone, "4.10", "the end of the match", started)
        self._number += 1
        self._in_turn = True
        self._check(started.turn == self._number, "2.7", f"turn {self._number}", started)
        player.turns += 1
        due, player.due = min(player.due, player.hand_size), 0
        if due:
            yield from self._discards(due, due, "4.6")
        while (yield from self._deed(turn)):
            pass
        yield from self._clean_up(turn)
        self._in_turn = False

    def _deed(self, turn: TurnState) -> Generator[None, None, bool]:
        """Read an action together with its effects. Returns False if there are no more actions."""
        player: Any = turn.player
        message = yield from self._ahead()
        if player.authority <= 0 or turn.opponent.authority <= 0:
            # The game is over, so any message here is an error.
            yield from self._take(GameInfo, "4.10")
        match message:
            case PlayerPlayed(card=card):
                yield from self._take(PlayerPlayed)
                self._leaves_hand(card, message, "5.1")
                piece = Piece(CARDS[card])
                player.in_play.append(piece)
                turn.played.append(card)
                if piece.card.is_ship:
                    piece.used = True
                    turn.combat += player.constant("combat_per_ship")
                    yield from self._happen(piece.card, piece.card.primary)
            case PlayerUsed(card=card, ability="primary"):
                yield from self._take(PlayerUsed)
                piece = self._piece(card, message, lambda p: not p.used and not p.card.is_ship)
                piece.used = True
                yield from self._happen(piece.card, piece.card.primary)
            case PlayerUsed(card=card, ability="ally"):
                yield from self._take(PlayerUsed)
                piece = self._piece(
                    card,
                    message,
                    lambda p: p.acts.ally and not p.ally_used and player.has_ally(p),
                )
                piece.ally_used = True
                yield from self._happen(piece.acts, piece.acts.ally)
            case PlayerScrapped(card=card, from_="play"):
                yield from self._take(PlayerScrapped)
                piece = self._piece(card, message, lambda p: p.acts.scrap)
                player.in_play.remove(piece)
                yield from self._leaves_game(card)
                yield from self._happen(piece.acts, piece.acts.scrap)
            case PlayerGained():
                yield from self._take(PlayerGained)
                yield from self._buys(turn, message)
            case BaseDestroyed(card=card, combat=combat):
                yield from self._take(BaseDestroyed, whose=turn.opponent)
                self._destroyed(turn, message)
                defense = CARDS[card].defense
                self._check(combat == defense, "4.7", f"combat {defense}", message)
                self._check(turn.combat >= combat, "4.7", f"up to {turn.combat}", message)
                turn.combat -= combat
            case PlayerAttacked(combat=combat):
                yield from self._take(PlayerAttacked, whose=turn.opponent)
                self._check(not turn.opponent.is_shielded(), "4.7", "no attack", message)
                self._check(0 < combat == turn.combat, "4.7", f"combat {turn.combat}", message)
                turn.opponent.authority -= combat
                turn.combat = 0
                left = turn.opponent.authority
                self._check(message.authority == left, "4.7", f"authority {left}", message)
            case _:
                return False
        return True

    def _clean_up(self, turn: TurnState) -> Generator[None, None, None]:
        player: Any = turn.player
        player.discard += [piece.card.name for piece in player.in_play if piece.card.is_ship]
        player.in_play = player.bases()
        for base in player.in_play:
            base.refresh()
        if player.hand_size:
            yield from self._discards(player.hand_size, player.hand_size, "4.2")
        yield from self._draws(HAND_SIZE)
        ended = yield from self._take(TurnEnded)
        seats = self._players
        should = TurnEnded(
            self._number,
            player.number,
            [seat.authority for seat in seats],
            [seat.hand_size for seat in seats],
            [seat.deck_size for seat in seats],
            [len(seat.discard) for seat in seats],
            [seat.due for seat in seats],
        )
        self._check(ended == should, "2.19", _shown(should), ended)

    # --- effects --------------------------------------------------------------------------------

    def _happen(self, card: Card, ability: Ability) -> Generator[None, None, None]:
        effects = ability[0] if ability else ()
        if len(ability) > 1:
            chose = yield from self._take(PlayerChose)
            right = chose.card == card.name and 0 < chose.option <= len(ability)
            self._check(right, "2.11", f"a choice of {card.name}", chose)
            effects = ability[chose.option - 1]
        for word, number in effects:
            yield from self._effect(word, number)

    def _effect(self, word: str, number: int) -> Generator[None, None, None]:
        turn = self._turn
        player: Any = turn.player
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
                yield from self._draws(number)
            case "draw_with_two_bases":
                yield from self._draws(number if len(player.bases()) >= 2 else 0)
            case "draw_per_blob_card_played_this_turn":
                yield from self._draws(number * turn.blobs())
            case "scrap_trade_row":
                if self._row and (yield from self._scraps_next("trade-row")):
                    scrapped = yield from self._take(PlayerScrapped)
                    yield from self._row_without(scrapped.card, scrapped)
            case "scrap_hand_or_discard" | "scrap_then_draw":
                scrapped_cards = 0
                while scrapped_cards < number and (yield from self._scraps_next("hand", "discard")):
                    yield from self._scraps()
                    scrapped_cards += 1
                if word == "scrap_then_draw":
                    yield from self._draws(scrapped_cards)
            case "scrap_from_hand":
                if player.hand_size:
                    if not (yield from self._scraps_next("hand")):
                        yield from self._take(GameInfo, "4.4")  # Scrapping a card is mandatory.
                    yield from self._scraps()
            case "discard_up_to_then_draw_that_many":
                if (yield from self._recycles()):
                    yield from self._draws((yield from self._discards(1, number, "4.4")))
            case "destroy_base":
                message = yield from self._ahead()
                if isinstance(message, BaseDestroyed) and not message.combat:
                    yield from self._take(BaseDestroyed, whose=turn.opponent)
                    self._destroyed(turn, message)
            case "gain_ship":
                message = yield from self._ahead()
                if isinstance(message, PlayerGained) and not message.paid:
                    yield from self._take(PlayerGained)
                    ship = message.gained in CARDS and CARDS[message.gained].is_ship
                    self._check(ship and message.to == "deck", "4.4", "a ship to the deck", message)
                    yield from self._row_without(message.gained, message)
                    self._gets(message)
            case "copy_ship":
                message = yield from self._ahead()
                if isinstance(message, PlayerCopied):
                    yield from self._take(PlayerCopied)
                    ships = [p.card.name for p in player.in_play[:-1] if p.card.is_ship]
                    self._check(message.card in ships, "4.4", "a ship in play", message)
                    copied = player.in_play[-1].acts = CARDS[message.card]
                    turn.copied = copied.name
                    yield from self._happen(copied, copied.primary)

    def _scraps_next(self, *places: str) -> Generator[None, None, bool]:
        message = yield from self._ahead()
        return isinstance(message, PlayerScrapped) and message.from_ in places

    def _scraps(self) -> Generator[None, None, None]:
        """Read the scrapping of a card from the hand or the discard pile."""
        message = yield from self._take(PlayerScrapped)
        if message.from_ == "hand":
            self._leaves_hand(message.card, message, "2.13")
        else:
            pile = self._turn.player.discard
            self._check(message.card in pile, "2.13", "a card of the discard pile", message)
            pile.remove(message.card)
        yield from self._leaves_game(message.card)

    def _recycles(self) -> Generator[None, None, bool]:
        """Tell discards chosen by the player from those of the clean-up.

        The clean-up's discards are followed by the end of the turn, possibly after a draw.
        """
        place = 0
        message = yield from self._ahead()
        if not isinstance(message, PlayerDiscarded):
            return False
        while True:
            place += 1
            message = yield from self._ahead(place)
            if not isinstance(message, PlayerDrew | PlayerShuffled):
                return not isinstance(message, TurnEnded)

    def _draws(self, count: int) -> Generator[None, None, None]:
        player: Any = self._turn.player
        first = min(count, player.deck_size)
        yield from self._drew(first)
        if first < count and player.discard:
            yield from self._take(PlayerShuffled, "4.8")
            player.hidden.update(player.discard)
            player.deck_size = len(player.discard)
            player.discard = []
            yield from self._drew(min(count - first, player.deck_size))

    def _drew(self, count: int) -> Generator[None, None, None]:
        if count:
            player: Any = self._turn.player
            drew = yield from self._take(PlayerDrew, "4.8")
            self._check(drew.count == count, "4.8", f"{count} cards drawn", drew)
            player.hand_size += count
            player.deck_size -= count

    def _discards(self, least: int, most: int, section: str) -> Generator[None, None, int]:
        """Read a discard of `least` to `most` cards and return how many there were."""
        message = yield from self._take(PlayerDiscarded, section)
        right = least <= len(message.cards) <= most
        self._check(right, section, f"{most} cards discarded", message)
        for card in message.cards:
            self._leaves_hand(card, message, section)
            self._turn.player.discard.append(card)
        return len(message.cards)

    def _leaves_hand(self, card: str, message: Struct, section: str) -> None:
        player: Any = self._turn.player
        held = player.hand_size > 0 and player.hidden[card] > 0
        self._check(held, section, "a card that can be in the hand", message)
        player.hidden[card] -= 1
        player.hand_size -= 1

    def _leaves_game(self, card: str) -> Generator[None, None, None]:
        if card == EXPLORER:
            self._explorers += 1
            yield from self._shows_row([self._row])

    def _piece(self, card: str, message: Struct, fits: Any) -> Piece:
        """Find the first card in play with this name that satisfies `fits`."""
        for piece in self._turn.player.in_play:
            if piece.card.name == card and fits(piece):
                return piece
        self._depart("4.3", "a card in play that can do it", message)
        raise AssertionError  # `_depart` raises

    def _destroyed(self, turn: TurnState, message: BaseDestroyed) -> None:
        for base in turn.opponent.exposed():
            if base.card.name == message.card:
                turn.opponent.in_play.remove(base)
                turn.opponent.discard.append(message.card)
                return
        self._depart("4.7", "a base that can be destroyed", message)

    def _buys(self, turn: TurnState, message: PlayerGained) -> Generator[None, None, None]:
        card = CARDS.get(message.gained)
        there = self._explorers > 0 if message.gained == EXPLORER else message.gained in self._row
        if card is None or not there:
            self._depart("4.5", "a card of the row, or an Explorer", message)
            return
        price = f"{message.gained} for {card.cost}, with {turn.trade} trade"
        self._check(message.paid == card.cost <= turn.trade, "4.5", price, message)
        to_top = turn.next_ship_to_top and card.is_ship
        places = ("discard", "deck") if to_top else ("discard",)
        self._check(message.to in places, "4.4", f"to {' or '.join(places)}", message)
        turn.trade -= card.cost
        turn.next_ship_to_top &= not card.is_ship
        if message.gained == EXPLORER:
            self._explorers -= 1
            yield from self._shows_row([self._row])
        else:
            yield from self._row_without(message.gained, message)
        self._gets(message)

    def _gets(self, message: PlayerGained) -> None:
        player: Any = self._turn.player
        if message.to == "deck":
            player.hidden[message.gained] += 1
            player.deck_size += 1
        else:
            player.discard.append(message.gained)

    def _row_without(self, card: str, message: Struct) -> Generator[None, None, None]:
        """Expect the trade row without one copy of `card`, and refilled."""
        self._check(card in self._row, "2.6", "a card of the row", message)
        rows = [
            self._row[:place] + self._row[place + 1 :]
            for place, name in enumerate(self._row)
            if name == card
        ]
        yield from self._shows_row(rows)

    def _shows_row(self, rows: Sequence[Sequence[str]]) -> Generator[None, None, None]:
        """Expect the trade row to begin with one of `rows`, refilled from the trade deck."""
        shown = yield from self._take(TradeRow)
        old = len(rows[0])
        new = list(shown.cards[old:])
        missing = min(ROW_SIZE - old, self._trade_deck.total())
        right = any(list(shown.cards[:old]) == list(row) for row in rows) and len(new) == missing
        expected = f"{', '.join(rows[0])} and {missing} more"
        self._check(right, "2.6", expected, shown)
        self._check(not Counter(new) - self._trade_deck, "4.1", "cards still in the deck", shown)
        self._trade_deck -= Counter(new)
        self._row = list(shown.cards)
        left = (self._trade_deck.total(), self._explorers)
        counts = f"{left[0]} cards and {left[1]} Explorers"
        self._check((shown.deck, shown.explorers) == left, "2.6", counts, shown)

    # --- the end --------------------------------------------------------------------------------

    def _check_end(self, scores: list[int], winners: list[str], reason: str) -> None:
        found = f"scores {scores}, winners {winners}, reason {reason}"
        sure = self._sure
        standing = [player.authority for player in self._players] if sure else scores
        right = scores == standing and len(scores) == len(self._players)
        self._check(right, "4.10", f"scores {standing}", found)
        both = [seat_id(seat) for seat in range(len(standing))]
        beaten = min(standing) <= 0
        why: str = AUTHORITY
        if self._gone:
            left = [number for seat, number in enumerate(both) if seat not in self._gone]
            why = EndReason.LAST_PLAYER_STANDING if left else EndReason.NO_PLAYERS
        elif beaten:
            left = [both[standing[0] <= 0]]
        else:
            limit = self._number >= 2 * self._max_turns and not self._in_turn
            self._check(limit or not sure, "4.10", "more turns", found)
            best = max(standing)
            left = [number for number, own in zip(both, standing, strict=True) if own == best]
            why = EndReason.TURN_LIMIT
        self._check((winners, reason) == (left, why), "4.10", f"{why}: {left}", found)


def _shown(message: object) -> str:
    """Format a message as in the log."""
    return msgspec.json.encode(message).decode()

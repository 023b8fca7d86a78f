"""Dominion bots in Python: subclass `DominionBot`, write `play_turn`, call `run`.

    from referee.bot import DominionBot, buy, end_turn

    class MyBot(DominionBot):
        def play_turn(self, state):
            for card in ("province", "gold", "silver"):
                if state.can_buy(card):
                    return buy(card)
            return end_turn()

    if __name__ == "__main__":
        MyBot.run()

This file needs only Python 3.11. You can copy it next to a bot instead of installing the package:
`from kit import DominionBot, buy, end_turn`. Numbers in brackets are sections of the protocol,
spec/protocol-v1.md. The guide is spec/python-bots.md.
"""

from __future__ import annotations

import atexit
import json
import os
import stat
import sys
from _thread import get_ident
from collections import Counter

# Importing `typing` and `dataclasses` would make a bot start a third more slowly.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

Reply = dict[str, object]
"""The JSON object of a reply (5, 7)."""
Cards = list[str] | tuple[str, ...]


# This is a copy of rules/cards.py, so that bots can use this file without the rest of the package.
# Don't edit it. tools.generators.make_pages updates it.
# generated: cards dominion
class Card:
    """One card (4.3, 6). Numbers that don't apply to a card are 0.

    Attributes:
        cost: the price.
        worth: money that a treasure gives when it is played.
        points: points for each copy at the end of the game.
        action: True if it is an action card.
        cards, actions, buys, money: bonus for the player of the card, such as "+1 card".
        gains: a workshop can gain cards that cost up to this much.
        raises: a mine or a remodel can gain cards that cost up to this much more than the trashed
            card.
        leaves: a militia leaves the other players with this many cards in hand.
        section: the section of the protocol that describes an action card.
        option: the option that adds the card to a match, or "" if every match has it.
    """

    action = False
    worth = points = cards = actions = buys = money = gains = raises = leaves = 0
    section = option = ""

    def __init__(self, cost: int, **others: object) -> None:
        self.cost = cost
        self.__dict__ |= others


CARDS: dict[str, Card] = {
    "curse": Card(0, points=-1),
    "copper": Card(0, worth=1),
    "silver": Card(3, worth=2),
    "gold": Card(6, worth=3),
    "estate": Card(2, points=1),
    "duchy": Card(5, points=3),
    "province": Card(8, points=6),
    "cellar": Card(2, action=True, section="6.1", actions=1),
    "market": Card(5, action=True, section="6.2", cards=1, actions=1, buys=1, money=1),
    "militia": Card(4, action=True, section="6.3", money=2, leaves=3),
    "mine": Card(5, action=True, section="6.4", raises=3),
    "moat": Card(2, action=True, section="6.5", cards=2),
    "remodel": Card(4, action=True, section="6.6", raises=2),
    "smithy": Card(4, action=True, section="6.7", cards=3),
    "village": Card(3, action=True, section="6.8", cards=1, actions=2),
    "woodcutter": Card(3, action=True, section="6.9", buys=1, money=2),
    "workshop": Card(3, action=True, section="6.10", gains=4),
}
"""All seventeen cards, in the order of `supply-info`."""

STARTING_DECK = ("copper",) * 7 + ("estate",) * 3
# end


def nearest(card: str) -> str | None:
    """Return the card with the most similar name, or None."""
    from difflib import get_close_matches  # only needed for errors

    return next(iter(get_close_matches(card.lower(), CARDS, n=1)), None)


def _known(card: str) -> Card:
    if isinstance(card, str) and card in CARDS:
        return CARDS[card]
    close = nearest(str(card))
    hint = f"; did you mean {close!r}?" if close else ""
    raise ValueError(f"there is no card {card!r}{hint}")


# --- return values of play_turn and discard -------------------------------------------------------

_unreturned: dict[int, str] = {}
"""For each thread, the function that the running `play_turn` called last, "play" or "buy"."""
_played: dict[int, str] = {}
"""For each thread, the card that the running `play_turn` last passed to `play`."""
_warned: set[str] = set()


def _warn(text: str) -> None:
    """Write a line to standard error, but never the same line twice.

    Without this, a forgotten `return` would be reported in every turn.
    """
    if text not in _warned:
        _warned.add(text)
        sys.stderr.write(f"{text}\n")


def play(
    card: str, *, discard: Cards = (), trash: str | None = None, gain: str | None = None
) -> Reply:
    """Play an action card (5.3). `play_turn` is then called again.

    Args:
        discard: cards to discard, for a cellar. The last one is on top.
        trash: card to trash, for a mine or a remodel.
        gain: card to gain, for a mine, a remodel or a workshop.

    Raises:
        ValueError: a card is unknown.
    """
    for name in (card, *discard, *(other for other in (trash, gain) if other is not None)):
        _known(name)
    # A program may run bots in several threads, so there is one entry per thread.
    _unreturned[get_ident()] = "play"
    _played[get_ident()] = card
    parameters: dict[str, object] = {}
    if discard:
        parameters["cards"] = list(discard)
    if trash is not None:
        parameters["card_to_trash"] = trash
    if gain is not None:
        parameters["desired_card"] = gain
    reply: Reply = {"type": "play-reply", "phase": "action", "card": card}
    return reply | {"additional_parameters": parameters}


def buy(*cards: str, treasures: Cards | None = None) -> Reply:
    """Buy cards, using one buy each, and end the turn (5.2). You can buy at most once per turn.

    Args:
        treasures: treasures to play. Default: all treasures in hand.

    Raises:
        ValueError: a card is unknown.
    """
    for card in (*cards, *(treasures or ())):
        _known(card)
    _unreturned[get_ident()] = "buy"
    reply: Reply = {"type": "play-reply", "phase": "buy", "cards_to_buy": list(cards)}
    if treasures is not None:
        reply["played_treasures"] = list(treasures)
    return reply


def end_turn() -> Reply:
    """End the turn without buying (5.1)."""
    return {"type": "play-reply", "phase": "cleanup"}


def reveal_moat() -> Reply:
    """Reveal a moat in reply to an attack, so that no card is discarded (7.3)."""
    return {"type": "attack-reply-reaction", "reaction": "moat"}


# --- a bot's knowledge ----------------------------------------------------------------------------


class CardCounts(Counter[str]):
    """Maps cards to counts. A misspelt card raises `ValueError` instead of counting as 0."""

    def __missing__(self, card: str) -> int:
        if card not in CARDS and nearest(str(card)):
            _known(card)
        return 0  # the card may be newer than this file


class PublicPlayer:
    """A player, with the information that all players have about it.

    Attributes:
        number: player number, "player1" and so on, by seat.
        name: name of the player, or "" until it is announced.
        cards: card -> count of all cards that the player owns.
        left: True if the player left the match.
    """

    def __init__(self, number: str, name: str, cards: Counter[str], *, left: bool) -> None:
        self.number = number
        self.name = name
        self.cards = cards
        self.left = left

    @property
    def points(self) -> int:
        """The score if the game ended now (4.5)."""
        return sum(CARDS[card].points * n for card, n in self.cards.items() if card in CARDS)


class State:
    """Everything that a bot knows when it gets a request. It's a copy, so you can change it.

    Attributes:
        hand: cards in hand, in the order drawn.
        actions: remaining actions.
        buys: remaining buys.
        extra_money: money from action cards.
        turn: number of this bot's turn, counted from 1. It's 0 before the first turn.
        cards_played: cards played in this turn, in order.
        cards_gained: cards gained in this turn, in order.
        supply: card -> number of cards left in its pile, for all 17 piles.
        deck: card -> count in this bot's deck, whose order is unknown. A misspelt card raises
            `ValueError` here, in `discard_pile` and in the `cards` of players.
        discard_pile: card -> count in this bot's discard pile.
        me: this bot.
        players: all players including this bot, in seat order.
    """

    hand: list[str]
    actions: int
    buys: int
    extra_money: int
    turn: int
    cards_played: list[str]
    cards_gained: list[str]
    supply: dict[str, int]
    deck: Counter[str]
    discard_pile: Counter[str]
    me: PublicPlayer
    players: list[PublicPlayer]

    @property
    def money(self) -> int:
        """The money to spend: `extra_money` and all treasures in hand."""
        return self.extra_money + sum(CARDS[card].worth for card in self.treasures)

    @property
    def treasures(self) -> list[str]:
        """The treasures in hand."""
        return [card for card in self.hand if card in CARDS and CARDS[card].worth]

    @property
    def playable(self) -> list[str]:
        """The action cards in hand, or an empty list if no actions are left."""
        return [c for c in self.hand if self.actions and c in CARDS and CARDS[c].action]

    @property
    def others(self) -> list[PublicPlayer]:
        """The other players still in the match, in seat order."""
        return [p for p in self.players if p is not self.me and not p.left]

    def can_buy(self, *cards: str) -> bool:
        """Return True if all these cards can be bought. Raises `ValueError` for unknown cards."""
        wanted = Counter(cards)
        return (
            sum(_known(card).cost for card in cards) <= self.money
            and len(cards) <= self.buys
            and all(self.supply.get(card, 0) >= count for card, count in wanted.items())
        )

    def count(self, card: str) -> int:
        """Return how many copies this bot owns. Raises `ValueError` for an unknown card."""
        _known(card)
        return self.me.cards[card]

    def in_supply(self, limit: int) -> list[str]:
        """Return the cards in the supply that cost at most `limit`, for example for a workshop."""
        return [c for c, n in self.supply.items() if n and c in CARDS and CARDS[c].cost <= limit]


class Memory:
    """Keeps track of a match for a bot, which passes in all its messages and sets `replied`.

    No message contains the bot's deck or discard pile. We count the cards on the discard pile
    ourselves. The deck then consists of all the bot's cards that aren't anywhere else.
    """

    def __init__(self, me: str = "") -> None:
        self.me = me
        self.players: dict[str, PublicPlayer] = {}
        self.piles: object = None
        """The `cards` of the last `supply-info`. We haven't checked their format yet."""
        self.discard_pile: Counter[str] = Counter()
        self.turn = 0
        self.asked: Mapping[str, object] = {}
        """The last request."""
        self.replied: Mapping[str, object] = {}
        """The reply to the last request."""

    def player(self, number: str) -> PublicPlayer:
        """Return the player with this number. Creates it if the number is new."""
        if number not in self.players:
            self.players[number] = PublicPlayer(number, "", Counter(STARTING_DECK), left=False)
        return self.players[number]

    def observe(self, message: Mapping[str, object]) -> None:
        """Update players and piles from a public message (2). Unknown messages are ignored."""
        kind = message.get("type")
        number = str(message.get("player_number"))
        if kind == "supply-info":
            self.piles = message.get("cards")
        elif kind == "player-name":
            self.player(number).name = str(message.get("name", ""))
        elif number in self.players:
            self._update_player(self.players[number], kind, message)

    def _update_player(
        self, player: PublicPlayer, kind: object, message: Mapping[str, object]
    ) -> None:
        is_me = player.number == self.me
        match kind:
            case "player-gained":
                for card in _cards([message.get("gained")]):
                    player.cards[card] += 1
                    if is_me and self._played() != "mine":  # a mine puts it into the hand (6.4)
                        self.discard_pile[card] += 1
            case "player-trashed":
                player.cards -= Counter(_cards(message.get("trashed")))
            case "player-top-discard" if is_me:
                self.discard_pile += Counter(self._discarded())
            case "player-shuffled" if is_me:
                self.discard_pile.clear()
            case "player-disqualified":
                player.left = True

    def _played(self) -> object:
        return self.replied.get("card") if self.replied.get("phase") == "action" else None

    def _discarded(self) -> list[str]:
        """Return the cards that this bot discarded for a cellar or at its clean-up.

        `note` handles the cards that it discarded in an attack.
        """
        hand = _cards(self.asked.get("hand"))
        if self._played() != "cellar" or not self.asked.get("actions"):
            return hand + _cards(self.asked.get("cards_played"))
        parameters = self.replied.get("additional_parameters")
        cards = parameters.get("cards") if isinstance(parameters, dict) else None
        gone = []
        for card in ["cellar", *(cards if isinstance(cards, list) else [])]:
            if not isinstance(card, str) or card not in hand:
                break  # this card and the cards after it are ignored (6.1)
            hand.remove(card)
            gone.append(card)
        return gone[1:]

    def note(self, request: Mapping[str, object]) -> None:
        """Remember a request (2.11, 2.12). Until the next request, `state` describes this one."""
        if self.asked.get("type") == "attack-request":
            # No cards are drawn between an attack and the next request, so the missing cards were
            # discarded, maybe by the referee (7.4).
            self.discard_pile += Counter(_hand(self.asked)) - Counter(_hand(request))
        if request.get("type") == "play-turn":
            untouched = request.get("actions") == request.get("buys") == 1
            if not self.turn or (untouched and not request.get("cards_played")):
                self.turn += 1
        self.asked = request
        self.replied = {}

    def state(self) -> State:
        """Return everything that the bot knows at the last request."""
        state = State()
        state.hand = _hand(self.asked)
        state.actions = _number(self.asked.get("actions"))
        state.buys = _number(self.asked.get("buys"))
        state.extra_money = _number(self.asked.get("extra_money"))
        state.cards_played = _cards(self.asked.get("cards_played"))
        state.cards_gained = _cards(self.asked.get("cards_gained"))
        state.turn = self.turn
        state.supply = dict(_piles(self.piles))
        state.discard_pile = CardCounts(self.discard_pile)
        elsewhere = Counter(state.hand + state.cards_played) + state.discard_pile
        # We know which cards the bot owns. Those that aren't anywhere else must be in the deck.
        state.deck = CardCounts(self.player(self.me).cards - elsewhere)
        state.players = [
            PublicPlayer(number, player.name, CardCounts(player.cards), left=player.left)
            for number, player in sorted(self.players.items())
        ]
        state.me = next(player for player in state.players if player.number == self.me)
        return state


# If a field of a message has the wrong type, these functions treat it as empty.


def _cards(value: object) -> list[str]:
    return [card for card in value if isinstance(card, str)] if isinstance(value, list) else []


def _hand(request: Mapping[str, object]) -> list[str]:
    attacked = request.get("type") == "attack-request"
    return _cards(request.get("options" if attacked else "hand"))


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _piles(value: object) -> Iterable[tuple[str, int]]:
    for pile in value if isinstance(value, list) else []:
        if isinstance(pile, dict) and isinstance(pile.get("card"), str):
            yield pile["card"], _number(pile.get("count"))


# --- the bot --------------------------------------------------------------------------------------


class DominionBot:
    """Base class for bots. Override `play_turn`, and `discard` if you want to.

    Call `run` on the class to run the bot as a separate program, or `reply` on an instance to play
    within a Python program.

    Attributes:
        name: public name of the bot. Default: the name of the class.
        keep_alive: True if the program waits for another match after the first (8.4).
    """

    name: str = ""
    keep_alive: bool = True
    _memory: Memory | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _warn_of_misspelt(cls)
        if cls.__module__ == "__main__" and not _defined:
            atexit.register(_warn_without_run)
        _defined.append(cls)

    def play_turn(self, state: State) -> Reply | Cards | None:
        """Choose the next step of your turn. The kit calls this until you buy or end the turn.

        Returns:
            `play(...)`, `buy(...)`, `end_turn()`, or a list of cards to buy. An empty list ends the
            turn. None also ends the turn, but it is an error if `play` or `buy` was called, because
            the `return` must be missing.
        """
        raise NotImplementedError(f"{type(self).__name__} has no play_turn")

    def discard(self, state: State, count: int) -> Reply | Cards:
        """Reply to a militia. Returns `count` cards to discard, or `reveal_moat()`.

        By default, a bot reveals a moat if it can. Otherwise it discards victory cards and curses
        first, and then the cheapest cards.
        """
        if "moat" in state.hand:
            return reveal_moat()

        def use(card: str) -> int:
            data = CARDS.get(card, CARDS["curse"])
            return 1 + data.cost if data.worth or data.action else 0

        return sorted(state.hand, key=use)[:count]

    def reply(self, lines: Sequence[bytes]) -> bytes:
        """Read lines from the referee, and reply to the last request among them.

        Args:
            lines: JSON objects, with or without newlines.

        Returns:
            One line of JSON without a newline, or b"" if the lines contain no request.
        """
        _defined.clear()
        answer = b""
        for line in lines:
            answer = self._answer(_read(line)) or answer
        return answer

    def _answer(self, message: Mapping[str, object]) -> bytes:
        memory = self._memory
        kind = message.get("type")
        if memory is None or kind == "player-name-request":
            self._memory = memory = Memory(str(message.get("player_number")))
        reply: Reply
        match kind:
            case "player-name-request":
                reply = {"type": "player-name-reply", "player_number": memory.me, "version": 1}
                reply |= {"name": self.name or type(self).__name__, "keep_alive": self.keep_alive}
            case "play-turn":
                memory.note(message)
                # After a buy there is nothing left to do, but the referee sends another request
                # (5.2).
                reply = self._turn_reply(memory.state()) if message.get("buys") else end_turn()
                memory.replied = reply
            case "attack-request":
                memory.note(message)
                reply = self._attack_reply(memory.state(), _number(message.get("discard")))
            case _:
                memory.observe(message)
                return b""
        return json.dumps(reply).encode()

    def _turn_reply(self, state: State) -> Reply:
        treasures: Reply = {"played_treasures": state.treasures}
        _unreturned.pop(get_ident(), None)
        _played.pop(get_ident(), None)
        choice: object = self.play_turn(state)
        match choice:
            # Without this check, `play(...)` without `return` would end the turn and hide the
            # mistake.
            case None:
                if called := _unreturned.get(get_ident()):
                    why = f"although it called {called}(...)"
                    raise self._refusal("play_turn", choice, why)
                reply = end_turn()
            case list() | tuple():
                reply = buy(*choice)
            case dict():
                reply = choice
            case _:
                expected = "not play(...), buy(...), end_turn(), a list"
                raise self._refusal("play_turn", choice, expected)
        card = _played.get(get_ident())
        if card is not None and reply.get("phase") != "action":
            name = f"{type(self).__name__}.play_turn"
            _warn(f"{name} called play({card!r}, ...) but did not return it: forgot `return`?")
        if reply.get("phase") == "buy":
            reply = treasures | reply if reply.get("cards_to_buy") else end_turn()
        return reply

    def _attack_reply(self, state: State, count: int) -> Reply:
        choice: object = self.discard(state, count)
        match choice:
            case list() | tuple():
                for card in choice:
                    _known(card)
                return {"type": "attack-reply", "discard": list(choice)}
            case dict():
                return choice
        raise self._refusal("discard", choice, "not a list of cards or reveal_moat()")

    def _refusal(self, method: str, choice: object, why: str) -> TypeError:
        forgot = ": forgot `return`?" if choice is None else ""
        return TypeError(f"{type(self).__name__}.{method} returned {choice!r}, {why}{forgot}")

    @classmethod
    def run(cls, *arguments: Any, **options: Any) -> None:
        """Run the bot as a program: read messages from standard input until it ends, and reply.

        A new instance is created for each match, with these arguments. Printed text, even from
        before this call, goes to standard error instead of standard output.
        """
        _defined.clear()
        _serve(lambda: cls(*arguments, **options))


_defined: list[type[DominionBot]] = []
"""The bot classes defined so far. Cleared at the first match."""


def _warn_of_misspelt(bot: type[DominionBot]) -> None:
    """Warn if a method looks like a misspelt `play_turn` or `discard`.

    Without the warning, nobody would notice a misspelt `discard`, because the bot would silently
    use the default.
    """
    hooks = ("play_turn", "discard")
    own = [name for name, value in vars(bot).items() if callable(value) and name[0] != "_"]
    left = [hook for hook in hooks if getattr(bot, hook) is getattr(DominionBot, hook)]
    for name in own if left else ():
        if name in vars(DominionBot):
            continue
        from difflib import get_close_matches

        for hook in get_close_matches(name.lower(), left, n=1, cutoff=0.8):
            _warn(f"{bot.__name__}.{name} is never called by the kit: did you mean {hook}?")


def _warn_without_run() -> None:
    """Warn at exit if the referee started this program and it played no match.

    The last line, `MyBot.run()`, is easy to forget. Without this warning, you would only see that
    the bot exited.
    """
    if not _defined or hasattr(sys, "last_value") or "referee.api" in sys.modules:
        return
    try:
        is_started = stat.S_ISFIFO(os.fstat(0).st_mode)
    except OSError:
        return
    if is_started:
        name = _defined[-1].__name__
        _warn(f"{sys.argv[0]} ended without a match: add {name}.run() as its last line")


def _read(line: bytes) -> dict[str, object]:
    """Decode a message.

    Return an empty object for anything except a JSON object, because a bot has to ignore unknown
    messages.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _serve(new: Callable[[], DominionBot]) -> None:
    if sys.stdin.isatty():
        program = sys.argv[0]
        sys.stderr.write(f"{program} waits for a referee: referee play {program} big_money\n")
    out = _take_stdout()
    bot = None
    for line in sys.stdin.buffer:
        if not line.endswith(b"\n"):
            return  # truncated, because the referee has exited
        message = _read(line)
        if bot is None or message.get("type") == "player-name-request":
            bot = new()
        answer = bot._answer(message)
        try:
            _write(out, answer + b"\n" if answer else b"")
        except BrokenPipeError:
            return  # the referee has exited


def _take_stdout() -> int:
    """Redirect standard output to standard error, and return a descriptor of the original output.

    Otherwise, the referee would read the output of a print() for debugging as a reply.
    """
    out = os.dup(1)
    os.dup2(2, 1)  # also redirects output of C libraries and child processes
    sys.stdout.flush()  # also redirects text printed before
    sys.stdout = sys.stderr
    return out


def _write(out: int, data: bytes) -> None:
    while data:
        data = data[os.write(out, data) :]

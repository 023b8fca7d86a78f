"""Check that a seat can't learn hidden information, by comparing two matches.

The second match of a pair is the same as the first up to the fork, a moment when the seat decides.
At the fork we shuffle the hidden cards, change the random source, and let the other players write
other bytes from then on. (Sometimes players with a request in the same round decide differently,
too.) As long as the matches are equal apart from the order of hidden cards, the seat must get
exactly the same bytes in both. Otherwise it could tell which of the two it's in. Also, viewers who
got the same lines must have the same view in both matches.

`tests/games/GAME/hidden.py` defines the hidden information of a game:

- `pools(game, seat)`: a `Pool` for each set of cards whose kinds and pile sizes are known to the
  seat, but not their order.
- `UNCOVERING`: pairs of message types. The first one reveals cards that may be shuffled before the
  next request, and the second one announces the shuffle. Both have a `player_number`.
- `TOLD`: parts of the whole view that are missing in the seat's view, but don't change at a fork.
  The seat knows them from lines, or they're contained in another part.
- `SHUFFLED`: parts of the whole view that a `Redeal` changes, because no seat knows them.
- `GIVING`: dialects that reveal the seed, or values computed from it.

A small game defines it in `Game.secret`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec
import numpy as np
from msgspec import Struct

from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification
from referee.games.interface.game import ALL, PUBLIC, Viewer
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small.machine import SmallGame
from referee.match.machine import Match, Received, Sent
from tests.support.helpers import ROOT, name_line
from tests.support.own_game import SMALL_GAMES


class Pool:
    """A set of hidden cards. The seat doesn't know which of them lies where.

    Args:
        piles: lists or dicts of cards. A tuple is a list and the slice of it that is hidden.
        key: sort key for cards that can't be compared.
    """

    def __init__(self, *piles: Any, key: Callable[[Any], Any] | None = None) -> None:
        self._key = key
        self._places: list[tuple[Any, Any]] = []
        for pile in piles:
            cards, part = pile if isinstance(pile, tuple) else (pile, slice(None))
            places = list(cards) if isinstance(cards, dict) else range(len(cards))[part]
            self._places += [(cards, place) for place in places]

    def cards(self) -> list[Any]:
        return [cards[place] for cards, place in self._places]

    def lay(self, new: Sequence[Any]) -> None:
        for (cards, place), card in zip(self._places, new, strict=True):
            cards[place] = card

    def sort(self) -> None:
        self.lay(sorted(self.cards(), key=self._key))

    def shuffle(self, dice: Random) -> None:
        """Swap a few cards, or many.

        With only a few swaps, the seat usually can't see a difference for a while.
        """
        cards = self.cards()
        for _ in range(dice.choice([1, 2, len(cards)]) if len(cards) > 1 else 0):
            one, other = dice.sample(range(len(cards)), 2)
            cards[one], cards[other] = cards[other], cards[one]
        self.lay(cards)


class Hidden(NamedTuple):
    """The hidden information of a game."""

    pools: Callable[[Any, int], list[Pool]]
    uncovering: Mapping[type[Struct], type[Struct]]
    told: frozenset[str]
    giving: frozenset[str]
    shuffled: frozenset[str] = frozenset()

    def uncovered(self, messages: list[Any]) -> list[Struct]:
        """Return the messages that reveal cards which a later message shuffles."""
        return [
            message
            for place, message in enumerate(messages)
            if (shuffled := self.uncovering.get(type(message)))
            and any(
                type(later) is shuffled and later.player_number == message.player_number
                for later in messages[place:]
            )
        ]


def hidden_in(name: str) -> Hidden:
    if name in SMALL_GAMES:
        return Hidden(
            lambda game, seat: [Pool(*game.game.secret(seat), key=str)],
            {},
            frozenset({"moves"}),
            frozenset(),
        )
    file = f"tests/games/{name}/hidden.py"
    assert (ROOT / file).exists(), f"{file} must say what {name} hides"
    found = import_module(f"tests.games.{name}.hidden")
    return Hidden(found.pools, found.UNCOVERING, found.TOLD, found.GIVING, found.SHUFFLED)


class Observation(NamedTuple):
    """Everything that we compare at one moment of a match.

    Attributes:
        new: lines sent to the seat since the last observation.
        views: viewer -> a hash of its lines and replies so far, and its view.
        open: the state of the match with hidden cards sorted, so their order doesn't matter.
        whole: the view of the whole match.
        dealt: views from a continued copy in which the hidden cards were dealt again. Empty if the
            seat has no request.
    """

    new: list[bytes]
    views: dict[Viewer, tuple[int, bytes]]
    open: bytes
    whole: bytes
    dealt: bytes


class Compared(NamedTuple):
    """Counts comparisons made while the matches only differed in hidden information.

    Attributes:
        moments: number of observations.
        lines: number of new lines since the fork.
        apart: number of observations in which hidden cards lay in different places.
        dealt: number of those for which continued copies were compared, too.
    """

    moments: int = 0
    lines: int = 0
    apart: int = 0
    dealt: int = 0

    def __add__(self, other: Any) -> Compared:
        return Compared(*(one + more for one, more in zip(self, other, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A match that is played twice, the second time with hidden changes from the fork on.

    Attributes:
        definition: the game.
        hidden: the hidden information of the game.
        viewer: the seat that must not notice the change.
        choices: seed of the players' choices.
        fork: number of requests before the fork.
        change: seed of the change.
        length: number of observations that are compared.
    """

    definition: GameDefinition = field(repr=False)
    hidden: Hidden = field(repr=False)
    options: Struct
    seats: int
    viewer: int
    seed: int
    choices: int
    fork: int
    change: int
    length: int = 40

    def play(self, *, changed: bool) -> Iterator[Observation]:
        """Play the first match of the pair, or the second one if `changed` is True.

        Yields:
            An observation at the fork, and one after each later reply.
        """
        definition, viewer = self.definition, self.viewer
        seed, chance = b"%d" % self.seed, SeededRandomSource(self.seed)
        match = Match(
            definition,
            seats=self.seats,
            seed=self.seed,
            options=self.options,
            chance=chance,
            copies=True,
        )
        players = [Player(self, seat) for seat in range(self.seats)]
        known: dict[Viewer, int] = {viewer: 0, PUBLIC: 0}
        new: list[Sent] = []
        forked = False

        def sight() -> Observation:
            for entry in match.take_entries():
                if isinstance(entry, Sent):
                    assert seed not in entry.line, self
                    for who in known if entry.to is None else {entry.to} & known.keys():
                        known[who] = hash((known[who], entry.line))
                    if entry.to in (None, viewer):
                        new.append(entry)
                elif isinstance(entry, Received) and entry.seat == viewer:
                    known[viewer] = hash((known[viewer], entry.line))
            if not forked:
                return Observation([], {}, b"", b"", b"")
            lines = [sent.line for sent in new]
            uncovered = self.hidden.uncovered([sent.message for sent in new])
            new.clear()
            # In a small game, a person sees the view of the seat at any time, but the lines only
            # have it in requests.
            small = isinstance(match._game, SmallGame)
            views = {
                who: (known[who], msgspec.json.encode(match.view(who)))
                for who in known
                if who in (PUBLIC, *match.due) or not small
            }
            assert all(seed not in view for _, view in views.values()), self
            whole = msgspec.json.encode(match.view(ALL))
            opened = self._open(match) + msgspec.json.encode(uncovered)
            return Observation(lines, views, opened, whole, self._dealt(match))

        match.start()
        for seat in match.due:
            match.receive(seat, name_line(seat))
        while match.due:
            sight()
            wrong = otherwise = False
            if not forked and viewer in match.due and sum(match.requests) > self.fork:
                forked, wrong = True, self.change % 8 == 0
                if changed:
                    dice = Random(self.change)
                    otherwise = dice.random() < 0.5
                    for pool in self.hidden.pools(match._game, viewer):
                        pool.shuffle(dice)
                    SeededRandomSource.__init__(chance, self.seed + 1)
                yield sight()
            # The viewer replies last, because it mustn't see the replies of others in this round.
            for seat in sorted(match.due, key=lambda seat: seat == viewer):
                other = changed and forked and seat != viewer
                players[seat].move(
                    match,
                    wrong=wrong and seat == viewer,
                    other=other,
                    otherwise=other and otherwise,
                )
                if forked:
                    yield sight()

    def _dealt(self, match: Match) -> bytes:
        """Deal the hidden cards again in a copy of the match, and play the copy for some rounds.

        We don't do this in the middle of an effect. The copy would start at an earlier state there,
        in which the change hasn't happened yet.
        """
        game: Any = match._game
        if self.viewer not in match.due or match._replies or not match.can_redeal:
            return b""
        if game.copy(SeededRandomSource(0)) is None:
            return b""
        copy = match.copy(self.viewer, 5)
        before, dealt = match.view(self.viewer), copy.view(self.viewer)
        assert msgspec.json.encode(dealt) == msgspec.json.encode(before), self
        players = [Player(self, seat) for seat in range(self.seats)]
        course = [msgspec.json.encode(copy.view(ALL))]
        for _ in range(6):
            for seat in copy.due:
                players[seat].move(copy, wrong=False, other=False, otherwise=False)
            course.append(msgspec.json.encode(copy.view(ALL)))
        return b"".join(course)

    def _open(self, match: Match) -> bytes:
        game: Any = match._game
        pools = self.hidden.pools(game, self.viewer)
        kept = [pool.cards() for pool in pools]
        requests = game.requests
        for pool in pools:
            pool.sort()
        game.requests = ()  # requests follow from the other state, and may contain hidden cards
        whole = msgspec.json.encode([game.view(ALL), game.outcome])
        game.requests = requests
        for pool, cards in zip(pools, kept, strict=True):
            pool.lay(cards)
        return whole

    def compare(self) -> Compared:
        """Play both matches and compare them.

        Raises:
            AssertionError: the seat can tell the matches apart, or a viewer with the same lines has
                different views.
        """
        hidden, compared = True, Compared()
        seen: dict[tuple[Viewer, int], bytes] = {}
        sides = self.play(changed=False), self.play(changed=True)
        for one, other in islice(zip(*sides, strict=False), self.length):
            hidden = hidden and one.open == other.open
            if hidden:
                assert one.new == other.new, self
                assert one.dealt == other.dealt, self
                # Lines from before the fork are always equal.
                since = compared.moments and len(one.new)
                apart = one.whole != other.whole
                compared += Compared(1, since, apart, apart and one.dealt != b"")
            for side in (one, other):
                for who, (known, view) in side.views.items():
                    assert seen.setdefault((who, known), view) == view, (who, self)
        return compared

    def kept_and_changed(self) -> tuple[set[str], set[str]]:
        """Return the parts that the seat can't see, and the parts that differ after the fork.

        Parts have names like "seats.other.hand". Both sets are empty if the match ends before the
        fork.
        """
        one = next(self.play(changed=False), None)
        other = next(self.play(changed=True), None)
        if one is None or other is None:
            return set(), set()
        whole = msgspec.json.decode(one.whole)
        view = msgspec.json.decode(one.views[self.viewer][1])
        return (
            {*self._parts_apart(whole, view)},
            {*self._parts_apart(whole, msgspec.json.decode(other.whole))},
        )

    def _parts_apart(self, one: Any, other: Any, name: str = "") -> Iterator[str]:
        if isinstance(one, dict):
            for key, value in one.items():
                there = other[key] if other else None
                yield from self._parts_apart(value, there, f"{name}.{key}".strip("."))
        elif name == "seats":
            for seat, (value, there) in enumerate(zip(one, other, strict=True)):
                whose = "own" if seat == self.viewer else "other"
                yield from self._parts_apart(value, there, f"{name}.{whose}")
        elif one != other:
            yield name


class Player:
    """A random player that only uses its own view.

    Both matches have the same players, and they choose the same action as long as it's legal.
    """

    def __init__(self, pair: Pair, seat: int) -> None:
        environment = pair.definition.environment
        assert environment is not None, (
            f"{pair.definition.name} needs an environment to be played here"
        )
        self._translator = environment.translator(seat, pair.seats, pair.options)
        self._choices = len(environment.choices(pair.options))
        self._shape = environment.action_shape(pair.options)
        self._seat, self._seed = seat, pair.choices
        self._moves = 0
        self._last = b"?"

    def move(self, match: Match, *, wrong: bool, other: bool, otherwise: bool) -> None:
        """Reply to a request. In rare cases, leave instead.

        Args:
            wrong: repeat the last reply, which is usually wrong here. This is rare otherwise.
            other: send a line with other bytes, as in the second match after the fork.
            otherwise: make another decision.
        """
        self._moves += 1
        dice = np.random.default_rng([self._seed, self._seat, self._moves, otherwise])
        kind = dice.random()
        if kind < 0.002:
            match.disqualify(self._seat, Disqualification.TIMEOUT, "")
            return
        line = self._last
        if kind < 0.99 and not wrong:
            self._translator.look(match.view(self._seat), asked=True)
            reply = None
            while reply is None:
                legal = self._translator.legal()
                if legal is None:
                    action = dice.integers(self._choices, size=self._shape)
                else:  # both matches choose the same action if it's legal in both
                    action = int(np.argmax(dice.random(self._choices) * legal))
                reply = self._translator.act(action)
            line = self._last = msgspec.json.encode(reply)
        # The extra field has no effect, and "?" is a wrong reply.
        if other:
            line = b"?" if dice.random() < 0.1 else line.replace(b"{", b'{"unasked":0,', 1)
        match.receive(self._seat, line)


def every_choice(options: type[Struct]) -> list[Struct]:
    words = {name: get_args(kind) for name, kind in get_type_hints(options).items()}
    return [
        options(),
        *(
            options(**{name: word})
            for name, choice in words.items()
            for word in choice
            if isinstance(word, str) and word != getattr(options(), name)
        ),
    ]

"""A redeal keeps everything that a seat knows and deals everything else again."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.game import ALL, PUBLIC
from referee.games.interface.random_source import SeededRandomSource
from referee.match.machine import Entry, Match, Received, Redeal, Sent
from tests.support.any_game import TOY, Course, every_game
from tests.support.helpers import TIMES
from tests.support.leaks import hidden_in


class Position:
    """A match played at random, and the turn at which it is going to be dealt again."""

    def __init__(self, name: str, seed: int, *, wrong: float = 0.0) -> None:
        course = Course(name, seed, wrong=wrong, max_turns=8)
        self.spec = course.spec
        self.answers: list[tuple[int, bytes]] = []
        for entries in course.play():
            self.answers += [(e.seat, e.line) for e in entries if type(e) is Received]
        self.turn = Random(seed).randint(min(1, course.match.turns), course.match.turns)

    def reached(self, luck: int) -> tuple[Match, list[Entry], list[tuple[int, bytes]]]:
        """Replay the match up to the first decision of the turn.

        Returns:
            The match, the lines so far, and the recorded replies from there on.
        """
        match = replace(self.spec, redeals=(Redeal(self.turn, luck),)).new_match()
        match.start()
        entries, left = match.take_entries(), self.answers.copy()
        while match.turns < self.turn or match.in_round:
            match.receive(*left.pop(0))
            entries += match.take_entries()
        return match, entries, left


def positions(name: str, count: int) -> Iterator[Position]:
    for seed in range(count * TIMES):
        yield Position(name, seed)


def parts_apart(one: Any, other: Any, name: str = "") -> Iterator[str]:
    """Yield the names of the parts in which two views differ. All seats count as one part."""
    if isinstance(one, dict):
        for key in one:
            yield from parts_apart(one[key], other[key], f"{name}.{key}".strip("."))
    elif name == "seats":
        for this, that in zip(one, other, strict=True):
            yield from parts_apart(this, that, name)
    elif one != other:
        yield name


redealt = pytest.mark.parametrize("name", list(GAMES))


@redealt
def test_no_seat_is_sent_or_shown_anything_else(name: str) -> None:
    apart: set[str] = set()
    hidden = hidden_in(name)
    for position in positions(name, 4):
        matches = [position.reached(luck) for luck in (1, 2, 3)]
        sent = [[entry.line for entry in each if type(entry) is Sent] for _, each, _ in matches]
        assert sent[0] == sent[1] == sent[2]
        for viewer in (PUBLIC, *range(len(position.spec.bots))):
            views = [msgspec.json.encode(match.view(viewer)) for match, _, _ in matches]
            assert views[0] == views[1] == views[2]
        one, *others = (msgspec.to_builtins(match.view(ALL)) for match, _, _ in matches)
        for other in others:
            apart |= {*parts_apart(one, other)}
    assert apart == hidden.shuffled


@redealt
def test_all_that_no_seat_knows_is_dealt_again(name: str) -> None:
    """The new deal depends only on the seed and on what all seats know together."""
    for position in positions(name, 4):
        dealt = []
        for luck in (1, 2):
            match, _, _ = position.reached(luck)
            game: Any = match._game
            chance = SeededRandomSource(5)
            game.redeal(range(len(game.standings())), chance)
            dealt.append(msgspec.json.encode(match.view(ALL)))
        assert dealt[0] == dealt[1]


def test_ships_that_went_on_top_of_a_deck_stay_there() -> None:
    """In Star Realms, everybody sees a ship that goes on top of a deck, so it must stay there."""
    course = Course("starrealms", 1)
    next(course.play())
    game: Any = course.match._game
    table, player = game.table, game.table.players[0]
    ships = table.row[:2]
    for _ in ships:
        table.gain(player, 0, 0, "deck")
    decks = set()
    for luck in range(5):
        game.redeal([0, 1], SeededRandomSource(luck))
        assert player.deck[-2:] == ships
        game.redeal([0], SeededRandomSource(luck))
        assert player.deck[-2:] == ships
        decks.add((*player.deck, *table.trade_deck))
    assert len(decks) == 5
    table.draw(player, 1)
    tops = set()
    for luck in range(20):
        game.redeal([0, 1], SeededRandomSource(luck))
        assert player.deck[-1] == ships[0]
        tops.add(player.deck[-2])
    assert len(tops) == 2


def test_cards_that_went_below_the_tavern_deck_stay_there() -> None:
    there = 0
    for seed in range(TIMES):
        course = Course("tribute", seed, max_turns=30)
        before: list[Any] = []
        below: list[Any] = []
        for _ in course.play():
            game: Any = course.match._game
            deck: list[Any] = game.table.deck
            if before:
                below = [card for card in below if card in deck]
                below += [card for card in deck if card not in before]
            assert game.table.known_below == len(below)
            game.redeal([0, 1], SeededRandomSource(len(deck)))
            assert deck[len(deck) - len(below) :] == below
            there += bool(below)
            before = deck.copy()
    assert there > 5


@redealt
def test_the_luck_of_the_rest_follows_from_the_seed_of_the_redeal(name: str) -> None:
    """Replaying the same replies with another seed gives another match, if any luck remains."""
    others = 0
    for position in positions(name, 4):
        ends = []
        for luck in (1, 1, 2):
            match, entries, left = position.reached(luck)
            while match.due and left:
                seat, line = left.pop(0)
                if seat not in match.due:
                    break
                match.receive(seat, line)
                entries += match.take_entries()
            ends.append([entry.line for entry in entries if type(entry) is Sent])
        assert ends[0] == ends[1]
        others += ends[0] != ends[2]
    assert others > 1


@redealt
def test_faults_before_a_redeal_do_not_count(name: str) -> None:
    before = 0
    for position in [Position(name, seed, wrong=0.05) for seed in (1, 5, 9, 13)]:
        if not position.turn:
            continue  # A fault during the draft ended the match.
        plain = position.spec.new_match()
        plain.start()
        for seat, line in position.answers:
            if plain.turns >= position.turn:
                break
            plain.receive(seat, line)
        before += sum(faults.total() for faults in plain.faults)
        match, _, _ = position.reached(1)
        assert not any(match.faults)
        assert not match.first_faults
    # In Tribute, a fault ends the match, so there's nothing to redeal after it.
    assert before or name == "tribute"


@redealt
def test_a_copy_after_a_redeal_continues_as_the_original(name: str) -> None:
    position = Position(name, 3)
    spec = position.spec
    match = Match(
        spec.definition,
        seats=len(spec.bots),
        seed=spec.seed,
        options=spec.options,
        copies=True,
        redeals=[Redeal(position.turn, 1)],
    )
    match.start()
    for seat, line in position.answers:
        if seat not in match.due:
            break
        match.receive(seat, line)
        if match.turns > position.turn and match.due and not match.in_round:
            whole = msgspec.json.encode(match.view(ALL))
            assert msgspec.json.encode(match.copy().view(ALL)) == whole


@pytest.mark.parametrize("name", [TOY])
def test_a_game_that_cannot_deal_again_says_so(name: str) -> None:
    position = Position(name, 1)
    with pytest.raises(UsageError, match="toy_cards cannot deal hidden cards again"):
        position.reached(1)


@every_game
def test_a_match_without_redeals_has_the_luck_of_its_seed(name: str) -> None:
    position = Position(name, 1)
    spec = position.spec
    assert spec.with_luck(7) == replace(spec, seed=7)
    again = replace(spec, redeals=(Redeal(2, 1), Redeal(4, 2)))
    assert again.with_luck(7) == replace(spec, redeals=(Redeal(2, 1), Redeal(4, 7)))

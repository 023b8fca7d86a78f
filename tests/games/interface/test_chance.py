"""Random sources: what a seed must produce (protocol-v1, 4.7), and sources given by the caller."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.dominion import RULES
from referee.games.dominion.rules.game import Options
from referee.games.interface.random_source import SeededRandomSource, shuffle
from referee.match.machine import Match, Sent
from tests.support.helpers import PILES, ROOT, TIMES, chi_square, play_out, stream, to_line

seeds = st.integers(0, 2**53 - 1)


def labels(count: int) -> list[str]:
    return [str(place) for place in range(count)]


# --- what a seed gives ------------------------------------------------------------------------


@given(seeds, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20)), max_size=9))
@settings(max_examples=15 * TIMES)
def test_shuffles_follow_the_streams_of_the_seats(
    seed: int, lengths: list[tuple[int, int]]
) -> None:
    chance = SeededRandomSource(seed)
    streams = [stream(seed, f"player{seat + 1}") for seat in range(4)]
    for seat, length in lengths:
        cards, expected = labels(length), labels(length)
        for i in reversed(range(1, length)):
            j = int(streams[seat].random() * (i + 1))
            expected[i], expected[j] = expected[j], expected[i]
        chance.shuffle(f"player{seat + 1}", cards)
        assert cards == expected


@given(seeds, st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), max_size=9))
@settings(max_examples=15 * TIMES)
def test_what_is_taken_follows_the_stream_of_the_referee(
    seed: int, takes: list[tuple[int, int]]
) -> None:
    chance = SeededRandomSource(seed)
    referee = stream(seed, "referee")
    for seat, count in takes:
        cards, left = labels(8), labels(8)
        expected = [left.pop(int(referee.random() * len(left))) for _ in range(count)]
        # Drawing from another stream must not change the result.
        chance.shuffle(f"player{seat + 1}", labels(5))
        assert chance.take("referee", cards, count, f"player{seat + 1}") == expected
        assert cards == left


@given(
    seeds, st.lists(st.tuples(st.sampled_from(["energy", "dice"]), st.integers(1, 400)), max_size=9)
)
@settings(max_examples=15 * TIMES)
def test_what_is_chosen_follows_the_stream_of_that_name(
    seed: int, choices: list[tuple[str, int]]
) -> None:
    chance = SeededRandomSource(seed)
    streams = {name: stream(seed, name) for name in ("energy", "dice")}
    for name, count in choices:
        # Drawing from another stream must not change the result.
        chance.shuffle("player1", labels(5))
        chosen = chance.choose(name, count)
        assert chosen == int(streams[name].random() * count)
        assert 0 <= chosen < count


def test_a_draw_is_from_the_deck_as_it_lies() -> None:
    deck, hand = labels(6), ["x"]
    SeededRandomSource(1).before_draw("player1", hand, deck, 3)
    assert (deck, hand) == (labels(6), ["x"])


def drawn(chance: SeededRandomSource) -> list[object]:
    cards = labels(9)
    chance.shuffle("player1", cards)
    return [*cards, chance.choose("dice", 10**9), *chance.take("referee", cards, 3)]


def test_a_copy_makes_the_choices_that_its_original_makes() -> None:
    original = SeededRandomSource(5)
    first = drawn(original)
    one, two = original.copy(), original.copy()
    of_copy = one.copy()
    later = drawn(original)
    assert first != later == drawn(one) == drawn(two) == drawn(of_copy)
    assert drawn(original) == drawn(one) != later
    # A stream that was not used yet is seeded in each of them.
    assert one.choose("new", 10**9) == two.choose("new", 10**9)
    one.reseed(5)
    assert drawn(one) == first


GAMES = sorted((ROOT / "spec" / "vectors" / "games").glob("*.jsonl"))


@pytest.mark.parametrize("file", GAMES, ids=lambda file: file.stem)
def test_the_complete_games_have_the_chance_of_their_seeds(file: Path) -> None:
    header, *lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    chance = SeededRandomSource(header["seed"])
    dealt = set()
    for line in lines:
        if line["entry"] == "shuffled" and line["player_number"] not in dealt:
            dealt.add(line["player_number"])
            deck = ["copper"] * 7 + ["estate"] * 3
            chance.shuffle(line["player_number"], deck)
            assert line["deck"] == deck[::-1]
        elif line["entry"] == "drawn-by-lot":  # The player keeps three cards (7.4).
            count = len(line["places"])
            assert chance.take("referee", labels(count + 3), count) == list(
                map(str, line["places"])
            )
    assert len(dealt) == header["players"]


# --- shuffling --------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(PILES), max_size=60), st.integers())
@settings(max_examples=20 * TIMES)
def test_a_shuffle_is_a_permutation(cards: list[str], seed: int) -> None:
    shuffled = cards.copy()
    shuffle(shuffled, Random(seed).random)
    assert Counter(shuffled) == Counter(cards)


def test_a_shuffle_is_fair() -> None:
    shuffles = 24_000
    random = Random(20_240_229).random
    seen: Counter[object] = Counter()
    for _ in range(shuffles):
        cards = ["a", "b", "c", "d"]
        shuffle(cards, random)
        seen[tuple(cards)] += 1
    expected: dict[object, float] = dict.fromkeys(permutations("abcd"), shuffles / 24)
    # With 23 degrees of freedom, a correct shuffle fails this less than once in a million.
    assert chi_square(seen, expected) < 80


@pytest.mark.parametrize("place", [0, 4, 9])
def test_every_card_goes_everywhere(place: int) -> None:
    shuffles = 10_000
    random = Random(place).random
    seen: Counter[object] = Counter()
    for _ in range(shuffles):
        cards = list("0123456789")
        shuffle(cards, random)
        seen[cards.index(str(place))] += 1
    expected: dict[object, float] = dict.fromkeys(range(10), shuffles / 10)
    # With 9 degrees of freedom, a correct shuffle fails this about once in ten million.
    assert chi_square(seen, expected) < 50


@pytest.mark.parametrize(("length", "draws"), [(0, 0), (1, 0), (2, 1), (10, 9), (40, 39)])
def test_a_shuffle_takes_one_number_for_each_step(length: int, draws: int) -> None:
    taken = []

    def random() -> float:
        taken.append(0.5)
        return 0.5

    shuffle(list(map(str, range(length))), random)
    assert len(taken) == draws


# --- another chance ---------------------------------------------------------------------------


class EstatesFirst:
    """Stacked decks: player 1 draws its estates first, player 2 its last."""

    def shuffle(self, stream: str, items: list[str]) -> None:
        items.sort(key=lambda card: (card == "estate") == (stream == "player1"))

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        pass

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        return [items.pop() for _ in range(count)]


def test_a_match_is_played_with_the_chance_that_it_is_given() -> None:
    match = Match(RULES, seats=2, seed=1, options=Options(4), chance=EstatesFirst())
    end = to_line({"type": "play-reply", "phase": "cleanup"})
    hands: dict[int, list[int]] = {0: [], 1: []}
    for entry in play_out(match, lambda number, request: end):
        if isinstance(entry, Sent) and entry.to is not None:
            request = json.loads(entry.line)
            if request["type"] == "play-turn":
                hands[entry.to].append(request["hand"].count("estate"))
    assert hands == {0: [3, 0, 3, 0], 1: [0, 3, 0, 3]}


class MilitiaFirst(EstatesFirst):
    """Gives player 1 a militia in every hand, which no legal shuffle would do."""

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        if stream == "player1":
            deck[-1] = "militia"


def test_the_referees_choice_is_that_of_the_given_chance() -> None:
    match = Match(RULES, seats=2, seed=1, options=Options(1), chance=MilitiaFirst())
    hands = []

    def answer(number: str, request: dict[str, object]) -> bytes:
        if request["type"] == "play-turn" and number == "player2":
            hands.append(request["hand"])
        if request["type"] == "play-turn" and request["actions"] and number == "player1":
            return to_line({"type": "play-reply", "phase": "action", "card": "militia"})
        # An invalid reply to a militia makes the referee discard at random (7.4).
        # In a turn it just ends the turn.
        return b"?"

    entries = play_out(match, answer)
    tops = [json.loads(e.line) for e in entries if isinstance(e, Sent) and b"top-discard" in e.line]
    assert tops[0] == {
        "type": "player-top-discard",
        "player_number": "player2",
        "card": "copper",
    }
    assert hands == [["copper"] * 3]

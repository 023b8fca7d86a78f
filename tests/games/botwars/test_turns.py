"""Invariants of a Bot Wars turn that hold whatever the bots reply."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games.botwars.rules.board import Board
from referee.games.botwars.rules.messages import MoveReply, State
from referee.games.botwars.rules.moves import bad_format, carried_out
from referee.match.machine import Entry, Sent
from tests.games.botwars.botwars_matches import (
    Decide,
    gathering,
    new_match,
    play_out,
    reply,
    wandering,
    wild,
)
from tests.games.botwars.naive_turn import beside, free_pairs, mirrored, play
from tests.support.helpers import TIMES, Announced, stream

Json = dict[str, Any]


def random_state(dice: Random) -> Json:
    """Make an arbitrary state, often a crowded one, and maybe one that no game can reach."""
    rows, cols = dice.randint(4, 7), dice.randint(4, 7)
    spawns = (cols + 1, (rows - 2) * cols + cols - 2)
    what = dice.choice(["rb.", "rb*x.", "rb*x.....", "rbbb.", "r*b*...."])
    grid = dice.choices(what, k=rows * cols)
    for spawn in spawns:
        if grid[spawn] == "*":  # energy is never on a spawn point (4.3)
            grid[spawn] = "."
    p1, p2 = (
        {"energy": dice.randint(0, 2), "spawn": spawn, "spawnDisabled": dice.random() < 0.5}
        for spawn in spawns
    )
    turns = {"maxTurns": 100, "turnsElapsed": 0}
    return {"rows": rows, "cols": cols, "p1": p1, "p2": p2, "grid": "".join(grid), **turns}


def random_turns() -> Iterator[tuple[Json, dict[str, dict[int, int]]]]:
    """Yield states, each with legal moves for both sides."""
    for seed in range(60 * TIMES):
        dice = Random(seed)
        state = random_state(dice)
        moves: dict[str, dict[int, int]] = {"r": {}, "b": {}}
        for cell, what in enumerate(state["grid"]):
            if what in moves and dice.random() < 0.75:
                moves[what][cell] = dice.choice(list(beside(state, cell)))
        yield state, moves


def board_of(state: Json) -> Board:
    return Board(msgspec.convert(state, State))


def state_of(board: Board) -> Json:
    return json.loads(msgspec.json.encode(board.state(100, 0)))


def as_list(moves: dict[int, int]) -> list[Json]:
    return [{"from": start, "to": end} for start, end in moves.items()]


def test_a_turn_is_as_the_page_says() -> None:
    for state, moves in random_turns():
        board = board_of(state)
        happened = board.play([moves["r"], moves["b"]])
        after, _, died = play(state, {side: as_list(moves[side]) for side in "rb"})
        assert state_of(board) == after, state
        assert happened.died == died, state
        assert board.free_pairs() == free_pairs(after), state


def test_a_turn_looks_the_same_from_both_sides() -> None:
    for state, moves in random_turns():
        last = len(state["grid"]) - 1
        turned = {
            side: {last - start: last - end for start, end in moves[other].items()}
            for side, other in (("r", "b"), ("b", "r"))
        }
        board, other = board_of(state), board_of(mirrored(state))
        board.play([moves["r"], moves["b"]])
        other.play([turned["r"], turned["b"]])
        assert state_of(other) == mirrored(state_of(board)), state


def test_botlets_and_energy_are_conserved() -> None:
    for state, moves in random_turns():
        board = board_of(state)
        happened = board.play([moves["r"], moves["b"]])
        after = state_of(board)
        before, now = Counter(state["grid"]), Counter(after["grid"])
        for side, (colour, player) in enumerate((("r", "p1"), ("b", "p2"))):
            spawned, gathered = happened.spawned[side], happened.gathered[side]
            assert now[colour] == before[colour] - happened.lost[side] + spawned, state
            assert after[player]["energy"] == state[player]["energy"] - spawned + gathered
            assert spawned in (0, 1)
            assert after[player]["spawnDisabled"] >= state[player]["spawnDisabled"]
            assert not (spawned and after[player]["spawnDisabled"])
        assert now["*"] <= before["*"] - sum(happened.gathered), state
        assert len(happened.died) <= sum(happened.lost)


# --- whole games ------------------------------------------------------------------------------


def public(entries: list[Entry], kind: str) -> list[Json]:
    return [message for message in Announced(entries).public if message["type"] == kind]


def sides(decide: Any) -> Decide:
    """Let `decide` play red only. For blue, mirror the state before and the moves afterwards."""

    def both(colour: str, state: Json) -> bytes:
        if colour == "r":
            line: bytes = decide("r", state)
            return line
        last = len(state["grid"]) - 1
        moves = json.loads(decide("r", mirrored(state)))["moves"]
        return reply([{"from": last - m["from"], "to": last - m["to"]} for m in moves])

    return both


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("size", [(20, 20), (7, 9), (4, 4)])
def test_mirrored_play_gives_mirrored_states(seed: int, size: tuple[int, int]) -> None:
    rows, cols = size
    match = new_match(seed, rows=rows, cols=cols, max_turns=30)

    def decide(colour: str, state: Json) -> bytes:
        # Both sides must reply alike to equal states, so the seed depends only on the turn.
        if seed % 2:
            return gathering(colour, state)
        return wandering(Random(f"{seed} {state['turnsElapsed']}"))(colour, state)

    played = public(play_out(match, sides(decide)), "turn-played")
    assert played
    for message in played:
        assert mirrored(message["state"]) == message["state"]
    assert match.outcome is not None
    assert match.outcome.ranks == (1, 1)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("play_one", [wandering, wild], ids=["wandering", "wild"])
def test_the_order_of_the_replies_changes_nothing(seed: int, play_one: Any) -> None:
    logs = []
    for backwards in (False, True):
        match = new_match(seed, rows=9, cols=8)
        logs.append(play_out(match, play_one(Random(seed)), backwards=backwards))
    assert logs[0] == logs[1]


@pytest.mark.parametrize("seed", range(12))
def test_a_game_is_as_the_page_says(seed: int) -> None:
    every = (0, 1, 3, 5)[seed % 4]
    rows, cols = ((20, 20), (4, 5), (9, 9))[seed % 3]
    decide = [wild(Random(seed)), wandering(Random(seed)), gathering][seed // 4]
    said: list[dict[str, list[Json]]] = []

    def noted(colour: str, state: Json) -> bytes:
        line = decide(colour, state)
        if colour == "r":
            said.append({})
        said[-1][colour] = json.loads(line)["moves"]
        return line

    match = new_match(seed, rows=rows, cols=cols, max_turns=35, energy_every=every)
    entries = play_out(match, noted)
    asked = [message for number, message in Announced(entries).requests if number == "player1"]
    requests = [message["state"] for message in asked[1:]]  # The first request is the handshake.
    played = public(entries, "turn-played")
    energy = stream(seed, "energy")
    for number, (message, state, moves) in enumerate(zip(played, requests, said, strict=True), 1):
        expected, done, died = play(state, moves)
        grid = list(expected["grid"])
        cells = free_pairs(expected)
        if every and state["turnsElapsed"] % every == 0 and cells:
            cell = cells[int(energy.random() * len(cells))]
            grid[cell] = grid[len(grid) - 1 - cell] = "*"
        expected |= {"grid": "".join(grid), "turnsElapsed": number}
        turn = {"turn": number, "moves": done, "died": died, "state": expected}
        assert message == {"type": "turn-played", **turn}
    assert [m["state"] for m in played[:-1]] == requests[1:]
    last = played[-1]["state"]["grid"]
    (end,) = public(entries, "game-end")
    assert end["scores"] == [last.count("r"), last.count("b")]
    eliminated = 0 in end["scores"]
    assert end["reason"] == ("eliminated" if eliminated else "turn-limit")
    assert eliminated or len(played) == 35
    best = max(end["scores"])
    assert end["winners"] == [f"player{n + 1}" for n in (0, 1) if end["scores"][n] == best]


def test_the_facts_of_a_game_add_up() -> None:
    for seed in range(3):
        match = new_match(seed, rows=8, cols=8)
        entries = play_out(match, wild(Random(seed)))
        for standing, side in zip(match.standings(), "rb", strict=True):
            facts: Any = standing.facts
            assert standing.score == facts.spawned - facts.lost
            assert facts.energy == 1 + facts.gathered - facts.spawned
            played = public(entries, "turn-played")
            assert standing.turns == len(played)
            assert facts.moves == sum(len(message["moves"][side]) for message in played)
        codes = [counter.keys() for counter in match.faults]
        assert all(keys <= {"ignored-move"} for keys in codes)


def test_a_message_is_a_line_of_compact_json() -> None:
    entries = play_out(new_match(3, rows=5, cols=5), wandering(Random(1)))
    for entry in entries:
        if isinstance(entry, Sent):
            assert json.dumps(json.loads(entry.line), separators=(",", ":")) in entry.line.decode()


@pytest.mark.parametrize(
    ("start", "end", "why"),
    [
        (3.5, 4, "`from` is not an integer"),
        (3, 4.5, "`to` is not an integer"),
        (7, 8, "no botlet of its own is at `from`"),
        (5, 6, "that botlet is moved already"),
        (3, 9, "`to` is not next to `from`"),
    ],
)
def test_why_a_move_is_ignored(start: float, end: float, why: str) -> None:
    neighbours: Any = {3: (4,), 5: (6,)}
    moves = [{"from": 5, "to": 6}, {"from": start, "to": end}]
    targets, ignored, text = carried_out(moves, {3, 5}, neighbours)
    assert (targets, ignored) == ({5: 6}, 1)
    assert text.endswith(f": {why}")


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ([{"from": 1, "to": 2.5}], ""),
        ([{"from": 1, "to": 2}, {"to": 2}], "`from` of move 2 is missing"),
        ([{"from": 1, "to": True}], "`to` of move 1 is true"),
        ([[1, 2]], "move 1 is "),
        ({}, "`moves` is "),
    ],
)
def test_why_a_format_is_wrong(moves: Any, why: str) -> None:
    said = bad_format(MoveReply(moves=moves))
    assert said.startswith(why)
    assert bool(said) == bool(why)

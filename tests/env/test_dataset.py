"""Test that `dataset` reads the same steps from records as an environment would see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

import referee
from referee.env import dominion_v1, environments_of, starrealms_v2
from referee.env.episode import Episode
from referee.errors import LogReadError, UsageError
from referee.games import GAMES, find_game
from referee.logs.record import RecordWriter
from referee.match.spec import match_spec
from tests.support.any_game import TOY_FOLDER
from tests.support.fuzzed import fuzzed_match
from tests.support.helpers import ROOT, name_line
from tests.support.learners import Watched, at_random
from tests.support.own_game import clean_games

OWN = ROOT / "spec" / "examples" / "games"
PLAYED = [
    *(("dominion", 4, {"max_turns": 12}), ("starrealms", 2, {"max_turns": 8})),
    *(("tribute", 2, {"max_turns": 8}), ("botwars", 2, {"rows": 5, "cols": 6, "max_turns": 9})),
    *((str(OWN / "connect4.py"), 2, {}), (str(OWN / "goofspiel.py"), 3, {})),
    (str(TOY_FOLDER), 3, {}),
]


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


@pytest.mark.parametrize(("game", "seats", "options"), PLAYED)
def test_a_record_has_the_steps_of_the_environment(
    game: str, seats: int, options: dict[str, Any], tmp_path: Path
) -> None:
    made, game = environments_of(game), find_game(game)
    watched = Watched(GAMES[game])
    episode = Episode(GAMES[game], seats, options)
    policies = [at_random(seat) for seat in range(seats)]
    steps = []
    watched.begin(episode, 7)
    while episode.due:
        for seat in episode.due:
            seen = episode.observe(seat)
            action = policies[seat](seen)
            steps.append((seat, seen, action))
            episode.act(seat, action)
    spec = match_spec(["a", "b", "c", "d"][:seats], game=game, seed=7, options=options)
    match, path = spec.new_match(), tmp_path / "record"
    with path.open("wb") as file:
        writer = RecordWriter(file, spec, "2026-01-01")  # type: ignore[arg-type]
        match.start()
        for seat in match.due:
            match.receive(seat, name_line(seat))
        for seat, reply in watched.replies:
            match.receive(seat, msgspec.json.encode(reply))
        writer.write(match.take_entries(), 0)
        writer.end(match, [0] * seats, 0)
    data = made.dataset([path])
    assert data.seats.tolist() == [seat for seat, _, _ in steps]
    # Bot Wars ignores actions for cells without an own botlet, so those needn't be equal.
    if game != "botwars":
        assert data.actions.tolist() == [action for *_, action in steps]
    assert data.results.tolist() == [episode.rewards()[seat] for seat in data.seats]
    assert (data.left_out, data.unfinished, set(data.matches)) == (0, 0, {0})
    for place, (_, seen, _) in enumerate(steps):
        masked = isinstance(seen, dict)
        assert (data.observations[place] == (seen["observation"] if masked else seen)).all()
        if data.action_masks is not None:
            assert (data.action_masks[place] == seen["action_mask"]).all()


@pytest.mark.parametrize(
    ("game", "bots"),
    [
        ("starrealms", ["admiral", "random_pilot"]),
        ("tribute", ["magnate", "courtier"]),
        ("botwars", ["gatherer", "random_walker"]),
    ],
)
def test_the_steps_of_bundled_bots_lead_to_the_same_end(
    game: str, bots: list[str], tmp_path: Path
) -> None:
    """Bots may put several actions into a reply, or write card names differently."""
    path = tmp_path / "record"
    referee.play_match(bots, seed=3, game=game, record=path, options={"max_turns": 5})
    data = environments_of(game).dataset(path)
    episode = Episode(GAMES[game], 2, {"max_turns": 5})
    episode.begin(3)
    for seat, seen, action in zip(data.seats, data.observations, data.actions, strict=True):
        now = episode.observe(seat)
        assert ((now["observation"] if isinstance(now, dict) else now) == seen).all()
        episode.act(seat, action)
    assert data.results.tolist() == [episode.rewards()[seat] for seat in data.seats]
    assert (data.left_out, not episode.due) == (0, True)


def test_a_bot_that_buys_nothing_is_done_before_its_clean_up(tmp_path: Path) -> None:
    path = tmp_path / "record"
    options = {"max_turns": 9}
    referee.play_match(["big_money", "random_legal"], seed=6, record=path, options=options)
    data = dominion_v1.dataset([path], bot="big_money")
    names = [dominion_v1.choices[action] for action in data.actions]
    assert data.left_out == 0
    assert {*names} == {"done", "buy silver", "buy gold", "buy province"}
    stages = dominion_v1.observation_names()
    done = data.observations[data.actions == 0][:, [stages.index("stage buy")]]
    assert set(done.ravel().tolist()) == {0, 1}


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    """Faulty replies and incomplete records must be counted. Nothing else may be missing."""
    path = tmp_path / "record"
    for game, seed in (("starrealms", 7), ("dominion", 9)):
        played = fuzzed_match(game, Random(seed), max_turns=6)
        path.write_bytes(played.record)
        data = environments_of(game).dataset([path])
        assert data.left_out == sum(sum(codes.values()) for codes in played.match.faults)
    lines = path.read_bytes().splitlines(keepends=True)
    short = tmp_path / "short"
    short.write_bytes(b"".join(lines[:-1]))
    both = dominion_v1.dataset([short, path])
    assert (both.unfinished, set(both.matches)) == (1, {1})
    assert len(both.actions) == len(data.actions)


def test_only_the_steps_of_winners(tmp_path: Path) -> None:
    path = tmp_path / "record"
    referee.play_match(["big_money", "random_legal"], seed=1, record=path, options={"max_turns": 9})
    assert set(dominion_v1.dataset([path]).results) == {-1, 1}
    won = dominion_v1.dataset([path], won=True, normalised=True)
    assert (set(won.results), set(won.seats), won.observations.dtype) == ({1}, {0}, np.float32)
    with pytest.raises(UsageError, match="no step for these arguments; their bots: big_money, ran"):
        dominion_v1.dataset([path], won=True, bot="random_legal")
    referee.play_match(["minimal"] * 2, seed=1, record=path, options={"max_turns": 1}, force=True)
    with pytest.raises(UsageError, match="no step"):  # of a draw
        dominion_v1.dataset([path], won=True)


def test_records_that_do_not_fit(tmp_path: Path) -> None:
    two, four = (ROOT / "spec" / "examples" / f"{n}-players.record.jsonl" for n in ("two", "four"))
    with pytest.raises(UsageError, match="no record is given"):
        starrealms_v2.dataset([])
    with pytest.raises(UsageError, match="is a match of dominion, not of starrealms"):
        starrealms_v2.dataset([two])
    with pytest.raises(UsageError, match="observations of another shape than"):
        dominion_v1.dataset([two, four])
    lines = two.read_text().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if '"cards_to_buy' in line.replace("\\", ""))
    path = tmp_path / "record"
    path.write_text("".join([*lines[:at], *lines[at + 1 :]]))
    with pytest.raises(LogReadError, match="does not follow from the lines before it"):
        dominion_v1.dataset([path])


def test_a_record_with_wrong_ranks_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "record"
    referee.play_match(["minimal", "big_money"], seed=1, record=path, options={"max_turns": 2})
    *lines, last = path.read_text().splitlines(keepends=True)
    end = json.loads(last)
    for player in end["players"]:
        player["rank"] = 3 - player["rank"]
    path.write_text("".join([*lines, json.dumps(end), "\n"]))
    with pytest.raises(LogReadError, match="does not follow from the lines before it"):
        dominion_v1.dataset([path])

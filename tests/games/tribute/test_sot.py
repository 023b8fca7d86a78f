"""Bots of the engine's Python library play unchanged (spec/tribute/python-bots.md)."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from referee.bots.command import find_bot
from referee.bots.digest import files_digest
from referee.errors import BotNotFoundError
from referee.games.tribute import sot
from tests.support.helpers import TIMES
from tests.support.live import referee
from tests.support.sandboxed import needs_bwrap

pytest.importorskip("scripts_of_tribute", reason="needs pip install -e '.[sot]'")

from scripts_of_tribute.base_ai import BaseAI
from scripts_of_tribute.board import SeededGameState, build_game_state
from scripts_of_tribute.enums import MoveEnum, PatronId
from scripts_of_tribute.move import BasicMove, from_proto_move
from scripts_of_tribute.protos.main_pb2 import ApplyMoveRequest

from referee.games.tribute.sot.author import AuthorError, load, make
from referee.games.tribute.sot.dialogue import Dialogue, _reply
from referee.games.tribute.sot.knowledge import Knowledge
from referee.games.tribute.sot.simulation import Engine, State
from tests.games.tribute import sot_matches as matches

pytestmark = pytest.mark.extras
BOT = """
from scripts_of_tribute.base_ai import BaseAI
class {name}(BaseAI):
    def select_patron(self, available_patrons):
        print("picking")
        return available_patrons[0]
    def play(self, game_state, possible_moves, remaining_time):
        {play}
    def game_end(self, end_game_state, final_state):
        {end}
"""


def written(
    folder: Path,
    file: str = "a_bot.py",
    name: str = "ABot",
    play: str = "return possible_moves[0]",
    end: str = "pass",
) -> str:
    """Write a bot to a file. Returns the argument for the command line."""
    (folder / file).write_text(BOT.format(name=name, play=play, end=end))
    return f"sot:{folder / file}"


def watched(on_play: Any, seed: int = 2, **options: Any) -> list[tuple[Any, Any]]:
    """Play a match and call `on_play` with each position that the bot gets."""
    matches.RandomBot.on_play = on_play
    try:
        return list(matches.play(seed, **options))
    finally:
        matches.RandomBot.on_play = None


# --- what a bot is given ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2 * TIMES))
def test_states_have_what_classic_says(seed: int) -> None:
    assert matches.compare_states(seed) > 50


def test_methods_are_called_in_the_order_of_the_library() -> None:
    calls: list[str] = []
    left: list[int] = []

    class Bot(BaseAI):  # type: ignore[misc]
        def __init__(self, bot_name: str) -> None:
            super().__init__(bot_name)
            calls.append("new")

        def pregame_prepare(self) -> None:
            calls.append("prepare")

        def select_patron(self, available_patrons: Any) -> Any:
            assert {type(each) for each in available_patrons} == {PatronId}
            calls.append("select")
            return available_patrons[0]

        def play(self, game_state: Any, possible_moves: Any, remaining_time: Any) -> Any:
            calls.append("play")
            left.append(remaining_time)
            return possible_moves[-1]

        def game_end(self, end_game_state: Any, final_state: Any) -> None:
            calls.append(f"end {end_game_state.winner} {end_game_state.reason}")
            assert end_game_state is final_state.end_game_state
            assert final_state._engine_service_stub is None
            assert final_state.completed_actions[-1] == "END_TURN "

    list(matches.play(3, Bot, max_turns=4))
    ended = "end NO_PLAYER_SELECTED TURN_LIMIT_EXCEEDED"
    plays = calls.count("play")
    assert calls == ["new", "prepare", "select", "select", *["play"] * plays, ended]
    assert all(isinstance(each, int) and 0 < each <= 30_000 for each in left)


def test_what_is_left_of_a_turn_falls_and_is_full_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("referee.games.tribute.sot.dialogue.monotonic", lambda: now)
    monkeypatch.setattr(matches, "monotonic", lambda: now)
    left: list[tuple[int, int]] = []

    def on_play(state: Any, moves: Any) -> None:
        nonlocal now
        now += 2.0
        turns = state.completed_actions.count("END_TURN ")
        left.append((turns, (left and left[-1][1]) or 0))

    class Bot(matches.RandomBot):
        def play(self, game_state: Any, possible_moves: Any, remaining_time: int) -> Any:
            turn = game_state.completed_actions.count("END_TURN ")
            same = [each for each in left if each[0] == turn]
            assert remaining_time == 30_000 - 2_000 * len(same)
            return super().play(game_state, possible_moves, remaining_time)

    watched(on_play, maker=Bot, max_turns=6)
    assert len(left) > 6


def test_each_match_has_a_new_bot_and_the_same_match_is_played_again() -> None:
    made: list[Any] = []

    def maker() -> Any:
        made.append(matches.RandomBot("Random"))
        return made[-1]

    dialogue = Dialogue(maker, 30.0)
    requests = [{"type": "player-name-request", "player_number": "player1", "version": 1}] * 2
    for request in requests:
        assert dialogue.take(request, 0.0)["keep_alive"] is True  # type: ignore[index]
    assert made[0] is not made[1]
    first, again = ([reply for _, reply in matches.play(7, max_turns=9)] for _ in range(2))
    assert first == again
    assert first != [reply for _, reply in matches.play(8, max_turns=9)]


# --- simulations --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2 * TIMES))
def test_simulations_are_the_game_of_the_referee(seed: int) -> None:
    decisions, moves = matches.compare_simulations(100 + seed, every=13)
    assert (decisions > 5, moves > 30) == (True, True)


def test_simulations_go_on_to_the_end_of_the_game_and_change_nothing() -> None:
    ends: list[Any] = []

    def on_play(state: Any, moves: Any) -> None:
        before = matches.fields(state)
        dice = Random(1)
        now, then = state.apply_move(moves[0], 2**64 - 1)
        assert isinstance(now, SeededGameState)
        for _ in range(3 if ends else 4000):
            if not then:
                break
            now, then = now.apply_move(dice.choice(then))
        if not ends:
            assert then == []
            ends.append(now.end_game_state)
        assert matches.fields(state) == before

    watched(on_play, max_turns=60)
    assert ends[0].winner in ("PLAYER1", "PLAYER2", "NO_PLAYER_SELECTED")


def test_the_same_seed_gives_the_same_and_others_deal_other_hands() -> None:
    hands: set[tuple[int, ...]] = set()

    def on_play(state: Any, moves: Any) -> None:
        end = moves[-1]
        if end.command != MoveEnum.END_TURN:
            return
        first, again = (state.apply_move(end, 5)[0] for _ in range(2))
        assert matches.fields(first.current_player) == matches.fields(again.current_player)
        assert first.state_id != again.state_id
        for seed in range(20):
            simulated, then = state.apply_move(end, seed)
            me, enemy = simulated.current_player, simulated.enemy_player
            assert me.player_id != state.current_player.player_id
            cards = tuple(card.unique_id for card in me.hand)
            together = {card.unique_id for card in state.enemy_player.hand_and_draw}
            assert together == {*cards} | {card.unique_id for card in me.draw_pile}
            assert {m.cardUniqueId for m in then if m.command == MoveEnum.PLAY_CARD} == {*cards}
            assert len(enemy.hand) == 5
            hands.add(cards)

    watched(on_play, max_turns=1)
    assert len(hands) > 15


def test_hidden_cards_change_no_simulation() -> None:
    """In two games that differ only in hidden cards, simulations must give the same results."""
    picks = zip((0, 1, 1, 0), ("ANSEI", "PELIN", "RAJHIN", "ORGNUM"), strict=True)
    replies = [(seat, {"type": "patron-reply", "patron": patron}) for seat, patron in picks]
    results, decks = [], []
    for seed in (1, 2):
        game = matches.replayed(6, replies)
        matches.hide(game, seed)
        request = game.requests[0].message
        events = [msgspec.to_builtins(event) for event in game.take_events()]
        knowledge, engine = Knowledge(0, events[0]), Engine(events[0])
        for event in events[1:]:
            knowledge.observe(event)
        state = engine.keep(State(*knowledge.table(msgspec.to_builtins(request)), []))
        library = build_game_state(state.shown(is_seeded=False), engine)
        moves = [from_proto_move(move) for move in state.moves()]
        simulated = [library.apply_move(move, seed)[0] for move in moves for seed in range(10)]
        parts = [(each.current_player, each.enemy_player, each.tavern_cards) for each in simulated]
        results.append([matches.fields([*part]) for part in parts])
        decks.append([card.uid for card in game.table.deck])
    assert results[0] == results[1]
    assert decks[0] != decks[1]


@pytest.mark.all_cases
def test_hidden_cards_are_uniform_in_simulations() -> None:
    counts: Counter[int] = Counter()
    rows: Counter[int] = Counter()
    dice = Random(11)
    asked: list[Any] = []

    def on_play(state: Any, moves: Any) -> None:
        if asked:
            return
        asked.append(state)
        for _ in range(3000):
            simulated, _ = state.apply_move(moves[-1], dice.randrange(2**64))
            counts.update(card.unique_id for card in simulated.current_player.hand)
            rows[simulated.tavern_cards[0].unique_id] += 1

    watched(on_play, max_turns=1)
    for found, draws in ((counts, 15_000), (rows, 3000)):
        expected = draws / len(found)
        squares = sum((count - expected) ** 2 / expected for count in found.values())
        degrees = len(found) - 1
        assert squares < degrees + 5 * (2 * degrees) ** 0.5
    assert (len(counts), len(rows)) == (10, len(asked[0].tavern_cards))


def test_a_move_of_another_state_is_an_error() -> None:
    def on_play(state: Any, moves: Any) -> None:
        _, then = state.apply_move(moves[-1], 1)
        for move in (then[0], BasicMove(0, MoveEnum.END_TURN)):
            with pytest.raises(ValueError, match="not one of the"):
                state.apply_move(move)
        for seed in (-1, 2**64):
            with pytest.raises(ValueError, match=r"(?i)range|int"):
                state.apply_move(moves[-1], seed)
        stub = state._engine_service_stub
        request = ApplyMoveRequest(state_id=state.state_id, move=moves[-1].to_proto(), seed=3)
        assert stub.ApplyMove(request).gameState.current_player.prestige >= 0
        request.state_id = "another"
        with pytest.raises(ValueError, match="there is no state another"):
            stub.ApplyMove(request)

    watched(on_play, max_turns=1)


# --- the author's file --------------------------------------------------------------------------


def test_which_class_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "argv", sys.argv)
    written(tmp_path, "one_sot.py", "One")
    assert load(str(tmp_path / "one_sot.py"), "").__name__ == "One"
    text = (tmp_path / "one_sot.py").read_text()
    (tmp_path / "two_sot.py").write_text(
        text + "class Other(One): pass\ndef maker(): return One('m')"
    )
    with pytest.raises(AuthorError, match="give one of One, Other after"):
        load(str(tmp_path / "two_sot.py"), "")
    with pytest.raises(AuthorError, match="has no bot Third: give one of One, Other"):
        load(str(tmp_path / "two_sot.py"), "Third")
    assert make(load(str(tmp_path / "two_sot.py"), "maker")).bot_name == "m"
    (tmp_path / "main_sot.py").write_text("from one_sot import One\n")
    assert load(str(tmp_path / "main_sot.py"), "").__name__ == "One"
    (tmp_path / "none_sot.py").write_text("")
    with pytest.raises(AuthorError, match="no class there derives from BaseAI"):
        load(str(tmp_path / "none_sot.py"), "")


def test_how_a_bot_is_made() -> None:
    class Named(BaseAI):  # type: ignore[misc]
        pass

    class Keyword(BaseAI):  # type: ignore[misc]
        def __init__(self, *, bot_name: str, depth: int = 3) -> None:
            super().__init__(bot_name)

    class Bare(BaseAI):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__("mine")

    class Deep(BaseAI):  # type: ignore[misc]
        def __init__(self, bot_name: str, depth: int) -> None:
            super().__init__(bot_name)

    assert [make(each).bot_name for each in (Named, Keyword, Bare)] == ["Named", "Keyword", "mine"]
    with pytest.raises(AuthorError, match="needs more than a name"):
        make(Deep)


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        ("no.py", "there is no file no.py that can be read"),
        ("bot", "expected sot:FILE.py or sot:FILE.py:CLASS"),
        ("bot.py:", "expected sot:FILE.py or sot:FILE.py:CLASS"),
        ("bot.py:not a name", "expected sot:FILE.py or sot:FILE.py:CLASS"),
    ],
)
def test_wrong_arguments(argument: str, problem: str) -> None:
    with pytest.raises(BotNotFoundError, match=problem):
        find_bot(f"sot:{argument}", "tribute")


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sot, "find_spec", lambda name: None)
    with pytest.raises(BotNotFoundError, match="pip install scripts-of-tribute"):
        find_bot(written(tmp_path), "tribute")


def test_a_changed_file_is_another_bot(tmp_path: Path) -> None:
    bot = written(tmp_path)
    before = [files_digest(each, "tribute") for each in (bot, f"{bot}:ABot")]
    written(tmp_path, play="return possible_moves[-1]")
    after = [files_digest(each, "tribute") for each in (bot, f"{bot}:ABot")]
    assert all([*before, *after])
    assert (before[0] != after[0], before[1] != after[1]) == (True, True)


def test_nobody_is_told_to_give_it_as_a_dialect(tmp_path: Path) -> None:
    bot = written(tmp_path)
    (tmp_path / "a_bot.py").write_text("")
    done = referee("play", "--game", "tribute", bot, "random")
    assert "no class there derives from BaseAI" in done.stdout
    assert "dialect" not in done.stdout


# --- whole matches ------------------------------------------------------------------------------


@pytest.mark.parametrize("sandbox", ["none", pytest.param("bwrap", marks=needs_bwrap)])
def test_a_bot_plays_a_match(tmp_path: Path, sandbox: str) -> None:
    end = "raise RuntimeError(f'over: {end_game_state.reason}')"
    play = "print('left', remaining_time); return possible_moves[0]"
    bot = written(tmp_path, play=play, end=end)
    options = ("--game", "tribute", "--seed", "3", "--set", "max_turns=9", "--sandbox", sandbox)
    done = referee("play", *options, "--time-limit", "10", bot, "random", "--stderr", "-")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ABot" in done.stdout
    assert "disqualified" not in done.stdout
    assert "picking" in done.stderr
    assert "over: TURN_LIMIT_EXCEEDED" in done.stderr
    left = [int(number) for number in re.findall("left ([0-9]+)", done.stderr)]
    assert 0 < min(left) <= max(left) <= 10_000


@pytest.mark.parametrize(
    ("play", "said"),
    [
        ("return None", "None"),
        ("return 'END_TURN'", "'END_TURN'"),
        ("possible_moves[0].move_id = 0; return possible_moves[0]", "move_id 0 PLAY_CARD"),
    ],
)
def test_a_move_that_is_none_of_the_list_loses(tmp_path: Path, play: str, said: str) -> None:
    done = referee(
        "play", "--game", "tribute", "--seed", "3", written(tmp_path, play=play), "random"
    )
    assert "a reply of ABot was not legal" in done.stdout
    assert "bad-format" in done.stdout
    text = " ".join(done.stdout.split())
    assert f"its play() returned {said}" in text
    assert "which is not in possible_moves: return an entry of that list" in text
    assert "action" not in text


@pytest.mark.parametrize(
    ("play", "why"),
    [
        ("import sys; sys.exit(3)", "Its play() called exit."),
        ("import time; time.sleep(99)", "Its play() was waiting"),
        ("class Odd(Exception): pass\n        raise Odd('so')", "Odd: so"),
        ("while True: pass", "a search that takes too long; remaining_time has the milliseconds"),
    ],
)
def test_a_report_has_the_words_of_the_library(tmp_path: Path, play: str, why: str) -> None:
    bot = written(tmp_path, play=play)
    options = ("--seed", "3", "--time-limit", "0.3")
    done = referee("play", "--game", "tribute", bot, "random", *options)
    text = " ".join(done.stdout.split())
    assert why in text


def test_the_same_words_for_a_bot_in_a_folder(tmp_path: Path) -> None:
    written(tmp_path, play="return None")
    (tmp_path / "bot.toml").write_text("command = 'sot:a_bot.py'\n")
    for command in ("play", "conform"):
        more = ("random",) if command == "play" else ("--case", "4.1/1")
        done = referee(command, "--game", "tribute", str(tmp_path), *more, "--seed", "3")
        assert "its play() returned None" in " ".join(done.stdout.split())


def test_a_wrong_patron_is_told_in_the_words_of_the_library(tmp_path: Path) -> None:
    bot = written(tmp_path)
    file = tmp_path / "a_bot.py"
    file.write_text(file.read_text().replace("return available_patrons[0]", "return 'RAJHIN'"))
    done = referee("play", "--game", "tribute", "--seed", "3", bot, "random")
    text = " ".join(done.stdout.split())
    assert "its select_patron() returned 'RAJHIN', which is not in available_patrons" in text
    done = referee("conform", "--game", "tribute", bot, "--case", "4.1/1")
    text = " ".join(done.stdout.split())
    assert "actual its select_patron() returned 'RAJHIN', which is not in" in text


def test_a_file_that_starts_the_engine_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(game: object, folder: Path) -> Path:
        raise ConnectionError

    monkeypatch.setattr("scripts_of_tribute.game.Game._find_executable", missing)
    text = "from scripts_of_tribute.game import Game\nGame().run('a', 'b')\n"
    (tmp_path / "main.py").write_text(text)
    with pytest.raises(AuthorError, match=r"starts the engine when it is imported: put Game\(\)"):
        load(str(tmp_path / "main.py"), "")


def test_an_exception_is_shown_with_the_line_of_the_author(tmp_path: Path) -> None:
    bot = written(tmp_path, play="return [][1]  # mine")
    done = referee("play", "--game", "tribute", "--seed", "3", bot, "random", "--stderr", "-")
    assert "exited" in done.stdout
    assert "return [][1]  # mine" in done.stderr
    assert "tribute/sot/" not in done.stderr


def test_a_folder_and_kept_processes(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "bot.toml").write_text('name = "mine"\ncommand = "sot:a_bot.py"\n')
    options = ("--game", "tribute", "--deals", "2", "--seed", "3", "--jobs", "1")
    done = referee(
        "tournament", *options, str(tmp_path), "random", "--set", "max_turns=9", "--format", "json"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shown = msgspec.json.decode(done.stdout)
    assert (shown["matches"], shown["statistics"]["restarts"]) == (4, 0)
    (mine,) = [bot for name, bot in shown["statistics"]["bots"].items() if name == "mine"]
    assert (mine["faults"], mine["disqualified"]) == ({}, {})


@pytest.mark.all_cases
def test_a_new_bot_plays_and_conforms(tmp_path: Path) -> None:
    folder = tmp_path / "my_bot"
    made = referee("new", "--game", "tribute", "--language", "sot", str(folder))
    assert "sot:./my_bot.py random" in made.stdout
    cases = ("--case", "1.2", "--case", "5.3", "--case", "8.4")
    done = referee("conform", "--game", "tribute", "sot:./my_bot.py", *cases, cwd=folder)
    assert " conforms: " in " ".join(done.stdout.split()), done.stdout
    played = referee("play", "--game", "tribute", "sot:./my_bot.py", "random", cwd=folder)
    assert played.returncode == 0
    assert "My Bot" not in played.stderr


def test_a_reply_fits_in_a_line_whatever_was_returned(capsys: pytest.CaptureFixture[str]) -> None:
    state: Any = SimpleNamespace(place_of=lambda move_id: None, count=3)
    reply = _reply({"type": "play-turn"}, "x" * 1_000_000, state)
    assert len(msgspec.json.encode(reply)) < 1_000
    assert len(capsys.readouterr().err) < 1_000


def test_a_reply_is_the_move_that_was_returned() -> None:
    seen: list[Any] = []

    def on_play(state: Any, moves: Any) -> None:
        real = state._engine_service_stub._states[state.state_id]
        seen.append([real.place_of(move.move_id) for move in moves])
        assert [from_proto_move(move.to_proto()).move_id for move in moves] == [
            move.move_id for move in moves
        ]

    watched(on_play, max_turns=20)
    assert all(places == list(range(len(places))) for places in seen)

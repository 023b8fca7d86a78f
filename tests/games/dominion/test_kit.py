"""The Dominion kit (spec/python-bots.md): the state it shows to a bot, and the program it runs."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee.games.dominion.kit
from referee import bot as kit
from referee.bots.command import PythonBot, resolve_bot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import Case
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.table import Table
from referee.games.interface.faults import Disqualification, InvalidReply
from referee.match.machine import Match, Sent
from tests.support.conforming import failures, some_and_rest
from tests.support.helpers import (
    PILES,
    TIMES,
    Imposed,
    decoded,
    to_line,
)
from tests.support.kit_bots import Everything, TenLines
from tests.support.live import ROOT, entries, play
from tests.support.random_players import Json, doubtful, right

SUPPORT = ROOT / "tests" / "support"


# --- what it knows --------------------------------------------------------------------------------


class Watched(kit.DominionBot):
    """Checks the kit's state against the real table, then replies at random."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.table: Table
        self.asked = 0

    def look(self, state: kit.State) -> None:
        self.asked += 1
        real = {player.number: player for player in self.table.players}
        mine = real[state.me.number]
        assert state.hand == mine.hand
        assert state.deck == Counter(mine.deck)
        assert state.discard_pile == Counter(mine.discard_pile)
        assert state.turn == mine.turns
        assert state.supply == self.table.supply.counts
        assert [player.number for player in state.players] == list(real)
        for player in state.players:
            assert player.cards == Counter(real[player.number].cards())
            assert player.points == real[player.number].score()
            assert player.left == real[player.number].left
            assert player.name == type(self).__name__
        assert state.others == [p for p in state.players if p is not state.me and not p.left]

    def reply_to(self, request: Json, state: kit.State) -> Any:
        self.look(state)
        decide = right if self.chance.random() < 0.8 else doubtful
        line = decide(self.chance, request, state.supply.copy())
        # Bots may modify the state that they get. It must not affect the next request.
        state.hand.clear()
        state.discard_pile["gold"] += 1
        state.me.cards.clear()
        state.supply.clear()
        return json.loads(line)

    def play_turn(self, state: kit.State) -> Any:
        assert state.cards_played == self.table.players[int(state.me.number[-1]) - 1].in_play
        request = {
            "type": "play-turn",
            "actions": state.actions,
            "buys": state.buys,
            "extra_money": state.extra_money,
            "hand": state.hand.copy(),
            "cards_played": state.cards_played,
        }
        return self.reply_to(request, state)

    def discard(self, state: kit.State, count: int) -> Any:
        request = {"type": "attack-request", "options": state.hand.copy(), "discard": count}
        return self.reply_to(request, state)


def play_with(
    bots: Sequence[kit.DominionBot], *, seed: int, turns: int = 60, leaver: float = 0.0
) -> Match:
    """Play a match between kit bots. They get their lines as in an in-process match."""
    chance = Random(seed)
    imposed = Imposed({"dealt": True})
    match = Match(imposed.definition, seats=len(bots), seed=seed, options=Options(turns))
    match.start()
    waiting: list[list[bytes]] = [[] for _ in bots]
    while match.due:
        for entry in match.take_entries():
            if isinstance(entry, Sent):
                for seat in range(len(bots)) if entry.to is None else [entry.to]:
                    waiting[seat].append(entry.line)
        seat = match.due[0]
        bot = bots[seat]
        was_started = hasattr(imposed, "game")
        if isinstance(bot, Watched) and was_started:
            bot.table = imposed.game.table
        if was_started and chance.random() < leaver:
            match.disqualify(seat, Disqualification.EXITED, "as the test has it")
        else:
            match.receive(seat, bot.reply(waiting[seat]))
        waiting[seat] = []
    return match


@pytest.mark.slow
@pytest.mark.untraced
@given(st.integers(2, 4), st.integers(0, 2**53 - 1))
@settings(max_examples=4 * TIMES)
def test_it_knows_what_is_on_the_table(seats: int, seed: int) -> None:
    chance = Random(seed)
    bots = [Watched(chance) for _ in range(seats)]
    for leaver in (0.0, 0.01):  # In the second match, nothing may be left of the first one.
        play_with(bots, seed=seed, turns=10, leaver=leaver)
    assert sum(bot.asked for bot in bots) > 0


def asked(**request: Any) -> kit.State:
    """Return the state that a bot sees when player 1 of two gets this request in its first turn."""
    seen: list[kit.State] = []

    class Seeing(kit.DominionBot):
        def play_turn(self, state: kit.State) -> None:
            seen.append(state)

    turn = {"type": "play-turn", "actions": 1, "buys": 1, "extra_money": 0, "hand": []}
    Seeing().reply([HANDSHAKE, SUPPLY, to_line(turn | request)])
    return seen[0]


HANDSHAKE = to_line({"type": "player-name-request", "player_number": "player1", "version": 1})
SUPPLY = to_line(
    {
        "type": "supply-info",
        "cards": [{"card": card, "count": 0 if card == "moat" else 2} for card in PILES],
    }
)


def test_what_can_be_bought() -> None:
    state = asked(hand=["copper", "estate", "silver", "gold"], extra_money=2, buys=3)
    assert state.money == 8
    assert state.treasures == ["copper", "silver", "gold"]
    assert state.can_buy("province")
    assert state.can_buy("gold", "estate")
    assert not state.can_buy("gold", "silver")  # together they cost too much
    assert not state.can_buy("moat")  # the pile is empty
    assert state.can_buy("copper", "copper")
    assert not state.can_buy("copper", "copper", "copper")  # only two are left
    assert not state.can_buy("estate", "estate", "copper", "curse")  # only three buys
    assert state.in_supply(2) == ["curse", "copper", "estate", "cellar"]


def test_a_misspelt_card_is_an_error_that_names_the_right_one() -> None:
    state = asked()
    with pytest.raises(ValueError, match="no card 'provnce'; did you mean 'province'"):
        state.can_buy("provnce")
    with pytest.raises(ValueError, match="no card 'Gold'; did you mean 'gold'"):
        state.count("Gold")
    with pytest.raises(ValueError, match=r"no card 'witch'$"):
        state.count("witch")


@pytest.mark.parametrize(
    "move",
    [
        lambda: kit.play("smthy"),
        lambda: kit.buy("gold", "smthy"),
        lambda: kit.buy("gold", treasures=["smthy"]),
        lambda: kit.play("cellar", discard=["estate", "smthy"]),
        lambda: kit.play("remodel", trash="smthy"),
        lambda: kit.play("remodel", trash="gold", gain="smthy"),
        lambda: answered(["smthy"]),
        lambda: attacked(Throwing(["smthy"]), ["gold"] * 5),
    ],
)
def test_so_it_is_in_every_move(move: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="no card 'smthy'; did you mean 'smithy'"):
        move()


def test_a_list_is_no_card() -> None:
    with pytest.raises(ValueError, match=r"no card \['gold'\]; did you mean 'gold'"):
        kit.buy(["gold"])  # type: ignore[arg-type]


class Throwing(kit.DominionBot):
    def __init__(self, choice: Any) -> None:
        self.choice = choice

    def discard(self, state: kit.State, count: int) -> Any:
        return self.choice


class Forgetful(kit.DominionBot):
    def play_turn(self, state: kit.State) -> None:
        if "gold" in state.hand:
            kit.play("village")
        elif state.treasures:
            kit.buy("silver")


@pytest.mark.parametrize(("hand", "called"), [(["gold"], "play"), (["copper"], "buy")])
def test_a_forgotten_return_is_an_error_that_says_so(hand: list[str], called: str) -> None:
    bot = Forgetful()
    turn = {"type": "play-turn", "actions": 1, "buys": 1, "extra_money": 0, "hand": hand}
    why = rf"Forgetful\.play_turn returned None, although it called {called}\(\.\.\.\): forgot `ret"
    with pytest.raises(TypeError, match=why):
        bot.reply([HANDSHAKE, SUPPLY, to_line(turn)])
    # A `play_turn` that calls neither `buy` nor `play` and returns nothing ends the turn.
    assert json.loads(bot.reply([to_line(turn | {"hand": ["estate"]})])) == CLEANUP


def test_so_it_is_in_an_attack() -> None:
    with pytest.raises(TypeError, match=r"discard returned None, not a list .*: forgot `return`"):
        attacked(Throwing(None), ["gold"] * 5)


def test_the_first_turn_is_turn_1_wherever_the_match_begins() -> None:
    assert asked().turn == 1
    assert asked(actions=3, cards_played=["village", "village"]).turn == 1


def test_a_wrong_entry_ends_what_a_cellar_discards() -> None:
    seen: list[kit.State] = []

    class Cellar(kit.DominionBot):
        def play_turn(self, state: kit.State) -> kit.Reply:
            seen.append(state)
            return kit.play("cellar", discard=["copper", "silver", "estate"])

    hand = ["cellar", "copper", "estate", "estate", "gold"]
    turn = {"type": "play-turn", "actions": 1, "buys": 1, "extra_money": 0, "hand": hand}
    discarded = {"type": "player-top-discard", "player_number": "player1", "card": "copper"}
    after = {"hand": ["estate", "estate", "gold", "copper"], "cards_played": ["cellar"]}
    bot = Cellar()
    bot.reply([HANDSHAKE, SUPPLY, to_line(turn)])
    bot.reply([to_line(discarded), to_line(turn | after)])
    assert [state.discard_pile for state in seen] == [Counter(), Counter(["copper"])]


def test_what_can_be_played() -> None:
    hand = ["village", "copper", "smithy", "a card of tomorrow"]
    assert asked(hand=hand).playable == ["village", "smithy"]
    assert asked(hand=hand, actions=0).playable == []


# --- what it answers ------------------------------------------------------------------------------


def answered(choice: object, **request: Any) -> Any:
    """Return the reply of a bot whose `play_turn` returns `choice`."""

    class Choosing(kit.DominionBot):
        def play_turn(self, state: kit.State) -> Any:
            return choice

    turn = {"type": "play-turn", "actions": 1, "buys": 1, "extra_money": 0, "hand": []}
    line = Choosing().reply([HANDSHAKE, SUPPLY, to_line(turn | request)])
    assert not isinstance(decoded(line), InvalidReply)
    return json.loads(line)


BUY = {"type": "play-reply", "phase": "buy"}
CLEANUP = {"type": "play-reply", "phase": "cleanup"}
ACTION = {"type": "play-reply", "phase": "action"}


@pytest.mark.parametrize("choice", [["gold"], ("gold",), kit.buy("gold")])
def test_a_buy_plays_all_treasures(choice: object) -> None:
    reply = answered(choice, hand=["copper", "estate", "gold"])
    assert reply == BUY | {"played_treasures": ["copper", "gold"], "cards_to_buy": ["gold"]}


def test_a_buy_with_chosen_treasures() -> None:
    reply = answered(kit.buy("moat", treasures=["copper"]), hand=["copper", "gold"])
    assert reply == BUY | {"played_treasures": ["copper"], "cards_to_buy": ["moat"]}


@pytest.mark.parametrize("choice", [None, [], (), kit.buy(), kit.end_turn()])
def test_to_buy_nothing_ends_the_turn(choice: object) -> None:
    assert answered(choice, hand=["copper"]) == CLEANUP


def test_after_buying_the_turn_ends_by_itself() -> None:
    assert answered(["gold"], buys=0, actions=0) == CLEANUP


def test_actions() -> None:
    assert answered(kit.play("smithy")) == ACTION | {
        "card": "smithy",
        "additional_parameters": {},
    }
    assert answered(kit.play("cellar", discard=["curse"])) == ACTION | {
        "card": "cellar",
        "additional_parameters": {"cards": ["curse"]},
    }
    assert answered(kit.play("mine", trash="copper", gain="silver")) == ACTION | {
        "card": "mine",
        "additional_parameters": {"card_to_trash": "copper", "desired_card": "silver"},
    }


@pytest.mark.parametrize("choice", ["gold", 7, {"gold"}, True])
def test_what_is_no_choice_is_an_error_that_says_so(choice: object) -> None:
    with pytest.raises(TypeError, match=r"Choosing\.play_turn returned .*, not play\(\.\.\.\)"):
        answered(choice)


def attacked(bot: kit.DominionBot, hand: list[str]) -> Any:
    request = {"type": "attack-request", "discard": len(hand) - 3, "options": hand}
    return json.loads(bot.reply([HANDSHAKE, to_line(request)]))


def test_an_attack_is_answered_without_a_line_of_the_authors() -> None:
    hand = ["gold", "estate", "copper", "smithy", "curse"]
    reply = attacked(TenLines(), hand)
    assert reply["type"] == "attack-reply"
    assert sorted(reply["discard"]) == ["curse", "estate"]
    assert attacked(TenLines(), [*hand[1:], "moat"]) == {
        "type": "attack-reply-reaction",
        "reaction": "moat",
    }


def test_the_name_is_that_of_the_class_if_it_has_no_other() -> None:
    named = [json.loads(bot.reply([HANDSHAKE]))["name"] for bot in (TenLines(), Everything())]
    assert named == ["Ten Lines", "Everything"]


WORDS = [
    *("player-name", "game-info", "supply-info", "player-gained", "player-played", "game-end"),
    *("player-trashed", "player-top-discard", "player-shuffled", "player-disqualified"),
]
VALUES = [
    *(None, True, 0, -1, 1.5, 10**30, "", "gold", "player1", "player9", [], ["gold"], [None], {}),
    *([{"card": "gold", "count": 2}], [{"card": [], "count": "x"}], [{"card": "gold"}], [{}]),
]
FIELDS = ("player_number", "cards", "gained", "trashed", "card", "name")


def odd_line(dice: Random) -> bytes:
    if dice.random() < 0.1:
        return dice.randbytes(dice.randrange(20))
    fields = {field: dice.choice(VALUES) for field in FIELDS if dice.random() < 0.7}
    return to_line({"type": dice.choice([*WORDS, *WORDS, *VALUES]), **fields})


@pytest.mark.untraced
def test_no_message_and_no_line_crashes_it() -> None:
    turn = {"type": "play-turn", "actions": 1, "buys": 1, "extra_money": 0, "hand": ["gold"]}
    random = [[odd_line(dice) for _ in range(4)] for dice in map(Random, range(200 * TIMES))]
    # The first line is nested too deeply for a JSON parser.
    for lines in ([b"[" * 200_000], *random):
        bot = TenLines()
        for start in ([HANDSHAKE], []):
            bot.reply([*start, *lines])
            assert json.loads(bot.reply([to_line(turn)]))["type"] == "play-reply", lines


# --- conformance ----------------------------------------------------------------------------------


@pytest.mark.slow
@some_and_rest(pytest.mark.all_cases)
@pytest.mark.parametrize("new", [TenLines, Everything])
async def test_an_object_conforms(new: type[kit.DominionBot], cases: list[Case]) -> None:
    source = PythonBot(new.__name__, lambda: InProcessBot(new()))
    assert await failures(source, cases) == []


@pytest.mark.slow
@some_and_rest(pytest.mark.all_cases)
async def test_a_program_conforms(cases: list[Case], tmp_path: Path) -> None:
    program = tmp_path / "my_bot.py"
    program.write_text(
        f"import sys\nsys.path.insert(0, {str(SUPPORT)!r})\n"
        "from kit_bots import Everything\nEverything.run()\n"
    )
    assert await failures(resolve_bot(str(program)), cases) == []


# --- the program ----------------------------------------------------------------------------------


TURN = to_line(
    {"type": "play-turn", "actions": 1, "buys": 1, "extra_money": 0, "hand": ["silver", "copper"]}
    | {"cards_played": [], "cards_bought": [], "cards_gained": []}
)
PROGRAM = """
import os, subprocess, sys
from kit import DominionBot, buy

{start}

class MyBot(DominionBot):
    def play_turn(self, state):
        {turn}
        return buy("silver")

MyBot.run()
"""


def run(
    folder: Path, lines: Sequence[bytes], *, start: str = "", turn: str = "", cut: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a bot on these lines in `folder`, with a copy of the kit and no other package."""
    shutil.copy(referee.games.dominion.kit.__file__, folder / "kit.py")
    (folder / "my_bot.py").write_text(PROGRAM.format(start=start, turn=turn or "pass"))
    left_out = ("PYTHONPATH", "PYTHONUNBUFFERED")
    environment = {key: value for key, value in os.environ.items() if key not in left_out}
    return subprocess.run(
        [sys.executable, "-S", "my_bot.py"],
        input=b"".join(line + b"\n" for line in lines) + cut,
        capture_output=True,
        cwd=folder,
        env=environment,
        timeout=60,
    )


def types(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    """The types of the replies on stdout. Anything other than replies there is an error."""
    return [json.loads(line)["type"] for line in done.stdout.splitlines()]


LINES = [HANDSHAKE, SUPPLY, TURN]
REPLIES = ["player-name-reply", "play-reply"]


def test_a_copy_of_the_file_needs_no_package(tmp_path: Path) -> None:
    nothing = "import importlib.util; assert importlib.util.find_spec('referee') is None"
    done = run(tmp_path, LINES, start=nothing)
    assert (done.returncode, done.stderr, types(done)) == (0, b"", REPLIES)


@pytest.mark.parametrize(
    ("start", "turn"),
    [
        ("print('a print')", ""),
        ("", "print('a print')"),
        ("out = sys.stdout", "print('a print', file=out)"),
        ("", "os.write(1, b'a print')"),
        ("", "subprocess.run(['echo', 'a print'])"),
    ],
)
def test_what_is_printed_goes_to_stderr(tmp_path: Path, start: str, turn: str) -> None:
    done = run(tmp_path, LINES, start=start, turn=turn)
    assert types(done) == REPLIES
    assert b"a print" in done.stderr
    assert done.returncode == 0


def test_prints_keep_their_order(tmp_path: Path) -> None:
    late = "print(2); print(3, file=sys.stderr)"
    assert run(tmp_path, LINES, start="print(1)", turn=late).stderr == b"1\n2\n3\n"


def test_at_a_terminal_it_says_what_it_waits_for(tmp_path: Path) -> None:
    run(tmp_path, [])  # Writes kit.py and my_bot.py.
    leader, follower = pty.openpty()
    command = [sys.executable, "-S", "my_bot.py"]
    with subprocess.Popen(command, stdin=follower, stderr=subprocess.PIPE, cwd=tmp_path) as bot:
        os.write(leader, b"\x04")  # end of input
        assert bot.communicate(timeout=60)[1] == (
            b"my_bot.py waits for a referee: referee play my_bot.py big_money\n"
        )
    assert bot.returncode == 0
    os.close(leader)
    os.close(follower)


def test_an_exception_ends_it_with_its_traceback(tmp_path: Path) -> None:
    done = run(tmp_path, LINES, turn="return state.hand[9]")
    assert done.returncode == 1
    assert types(done) == REPLIES[:1]
    assert b"return state.hand[9]" in done.stderr
    assert done.stderr.endswith(b"IndexError: list index out of range\n")


def test_a_misspelt_card_is_not_counted_as_none() -> None:
    state = asked()
    for counts in (state.deck, state.discard_pile, state.me.cards):
        with pytest.raises(ValueError, match=r"there is no card 'smithi'; did you mean 'smithy'\?"):
            counts["smithi"]
        assert counts["smithy"] == counts["a card of tomorrow"] == 0


def test_a_play_without_return_is_reported_once(tmp_path: Path) -> None:
    """It's reported once even if the bot gets further requests in the same turn."""
    turn = "kit.play('smithy'); return kit.end_turn()"
    done = run(tmp_path, [*LINES, TURN], start="import kit", turn=turn)
    assert (done.returncode, types(done)) == (0, [*REPLIES, "play-reply"])
    says = b"MyBot.play_turn called play('smithy', ...) but did not return it: forgot `return`?\n"
    assert done.stderr == says
    # The bot built both replies and returned one of them, which is fine.
    turn = "return [kit.play('moat'), kit.play('smithy')][0]"
    assert run(tmp_path, LINES, start="import kit", turn=turn).stderr == b""


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("discards", "Bot.discards is never called by the kit: did you mean discard?\n"),
        ("play_trun", "Bot.play_trun is never called by the kit: did you mean play_turn?\n"),
        ("wants", ""),
        ("discard", ""),
        ("_discards", ""),
    ],
)
def test_a_misspelt_method_is_reported(
    method: str, says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee.games.dominion.kit, "_warned", set())
    type("Bot", (kit.DominionBot,), {method: lambda self: None})
    assert capsys.readouterr().err == says


@pytest.mark.parametrize(
    ("more", "code", "says"),
    [
        ("", 0, "bot.py ended without a match: add Mine.run() as its last line\n"),
        ("Mine().reply([])", 0, ""),
        ("Mine.run()", 0, ""),
        ("1 / 0", 1, "ZeroDivisionError: division by zero\n"),
    ],
)
def test_a_file_without_run_says_what_its_last_line_is(
    tmp_path: Path, more: str, code: int, says: str
) -> None:
    shutil.copy(referee.games.dominion.kit.__file__, tmp_path / "kit.py")
    text = f"import kit\nclass Mine(kit.DominionBot):\n    pass\n{more}\n"
    (tmp_path / "bot.py").write_text(text)
    command = [sys.executable, "-S", "bot.py"]
    done = subprocess.run(command, input="", capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code
    assert done.stderr.endswith(says) if code else done.stderr == says


def test_each_match_has_a_new_object(tmp_path: Path) -> None:
    count = "MyBot.turns = getattr(MyBot, 'turns', 0) + 1; self.own = getattr(self, 'own', 0) + 1"
    show = f"{count}; print(MyBot.turns, self.own, state.turn)"
    done = run(tmp_path, [*LINES, TURN, *LINES], turn=show)
    assert done.stderr.decode().splitlines() == ["1 1 1", "2 2 2", "3 1 1"]


def test_input_that_is_cut_off_is_the_end(tmp_path: Path) -> None:
    done = run(tmp_path, LINES[:2], cut=TURN)  # the whole request except for its newline
    assert (done.returncode, done.stderr, types(done)) == (0, b"", REPLIES[:1])


def test_a_referee_that_is_gone_is_the_end(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    program = f"import os\nos.dup2({write}, 1)\n"
    shutil.copy(referee.games.dominion.kit.__file__, tmp_path / "kit.py")
    (tmp_path / "my_bot.py").write_text(program + PROGRAM.format(start="", turn="pass"))
    done = subprocess.run(
        [sys.executable, "-S", "my_bot.py"],
        input=b"".join(line + b"\n" for line in LINES),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        pass_fds=[write],
        timeout=60,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_it_starts_without_the_rest_of_the_referee() -> None:
    show = f"import sys; sys.path[:0] = [{str(ROOT)!r}]; import referee.bot; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", show], capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "referee.games.dominion.kit" in loaded
    assert loaded.isdisjoint({"msgspec", "trio", "typing", "dataclasses"})
    assert "referee.games.dominion.rules" not in loaded


# --- the guide ------------------------------------------------------------------------------------

GUIDE = (ROOT / "spec" / "python-bots.md").read_text()
PROGRAMS = [
    block.removeprefix("python\n")
    for block in GUIDE.split("```")[1::2]
    if block.startswith("python\n")
]


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
async def test_every_program_in_the_guide_plays(program: str, tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(program)
    played = await play(tmp_path, str(tmp_path / "my_bot.py"), "militia_money", seed=4)
    mine = played.result.players[0]
    assert (mine.faults, mine.disqualified, mine.exit_code) == ({}, None, 0)
    assert [e for e in entries(tmp_path / "record") if e["entry"] == "fault"] == []

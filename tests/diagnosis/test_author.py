"""What `play` reports to a bot's author after a match, tested with real processes."""

from __future__ import annotations

import re
import shlex
import sys
from typing import Any

import msgspec
import pytest
import trio

from referee.bots.command import find_bot
from referee.bots.from_python import bot_source
from referee.bots.process_report import ProcessReport
from referee.bots.processes.launch import launch_bots
from referee.course import Played
from referee.diagnosis.author import diagnosis
from referee.games import GAMES
from referee.games.interface.faults import Disqualification, Fault
from referee.logs.sink import MemorySink
from referee.match.evidence import Evidence
from referee.match.machine import Disqualified
from referee.match.result import Diagnosis, PlayerResult, Stderr
from referee.match.spec import match_spec
from referee.runner import play_once
from tests.support.helpers import cautious

HEAD = """
import json, os, sys, time
REQUESTS = "player-name-request", "play-turn", "attack-request"
def say(reply, end="\\n"):
    os.write(1, (json.dumps(reply) + end).encode())
def name(asked):
    say({"type": "player-name-reply", "player_number": asked["player_number"], "name": "A"})
def simple(asked):
    if asked["type"] == "player-name-request": name(asked)
    if asked["type"] == "play-turn": say({"type": "play-reply", "phase": "cleanup"})
    if asked["type"] == "attack-request":
        say({"type": "attack-reply", "discard": asked["options"][:asked["discard"]]})
"""
REQUESTS = ("player-name-request", "play-turn", "attack-request")
LOOP = """
for line in sys.stdin:
    asked = json.loads(line)
"""


def python(code: str) -> str:
    return f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(code)}"


def bot(*lines: str, before: str = "") -> str:
    """Make a bot that runs these lines for each message."""
    return python(HEAD + before + LOOP + "".join(f"    {line}\n" for line in lines))


async def play(code: str, **options: object) -> Played:
    """Play a match of a bot in seat 2. Its limits are long for all but what the test is about.

    Player 1 is an object, to which the limits do not apply.
    """
    long: dict[str, object] = {"max_turns": 8, "time_limit": 60, "startup_limit": 60}
    spec = match_spec(["cautious", code], seed=1, options=long)
    own = match_spec(["cautious", code], seed=1, options=long | options)
    spec = msgspec.structs.replace(spec, limits_of_bots=(spec.limits, own.limits))
    sources = [bot_source(cautious, "dominion"), find_bot(code, "dominion")]
    with launch_bots(sources, spec.each_limits) as started:
        return await play_once(spec, started, record=MemorySink())


async def told(code: str, **options: object) -> PlayerResult:
    return (await play(code, **options)).result.players[1]


async def test_of_a_right_bot_nothing_is_told() -> None:
    player = await told("big_money")
    assert (player.disqualification, player.first_faults, player.notes) == (None, [], [])


# --- faults ---------------------------------------------------------------------------------------


async def test_a_stray_line_is_the_first_and_the_rest_follow() -> None:
    """The report must not depend on how the lines were split into reads."""
    player = await told(bot("simple(asked)", before='os.write(1, b"hello\\n")\n'))
    first, second = player.first_faults
    assert (first.code, first.turn, first.request) == ("bad-name-reply", 0, 0)
    assert first.line == "hello"
    assert "`hello` is not JSON: standard output is the protocol; print to stderr" in first.detail
    assert first.detail.endswith(
        "this line came without a request, so every later reply is one behind"
    )
    assert (second.code, second.follows, second.request) == ("wrong-type", True, 1)
    assert second.turn == 2  # turn 2 of the match is the bot's first turn


async def test_a_fault_is_in_the_request_that_was_answered() -> None:
    """The next request is to the same bot, and is made before the fault is noted."""
    buys = '{"type": "play-reply", "phase": "buy", "cards_to_buy": ["province"]}'
    is_turn = 'if asked["type"] == "play-turn"'
    player = await told(bot(f"say({buys}) {is_turn} else simple(asked)"), max_turns=1)
    fault = player.first_faults[0]
    assert (fault.code, fault.turn, fault.request) == ("cannot-buy", 2, 1)


async def test_many_stray_lines() -> None:
    noisy = bot('if asked["type"] == "play-turn": os.write(1, b"my hand\\n")', "simple(asked)")
    player = await told(noisy)
    first = player.first_faults[0]
    assert (first.code, first.request, first.line) == ("invalid-json", 1, "my hand")
    assert "and 7 others, so every later reply comes too late" in first.detail


async def test_a_line_that_is_never_json_is_no_stray_one() -> None:
    """The bot writes one line per request, so we mustn't say that its replies are one behind."""
    player = await told(bot('if asked["type"] in REQUESTS: os.write(1, b"hm\\n")'))
    assert [fault.code for fault in player.first_faults] == ["bad-name-reply", "invalid-json"]
    assert not any(fault.follows or "behind" in fault.detail for fault in player.first_faults)


async def test_what_is_missing_is_not_called_null() -> None:
    player = await told(
        bot(
            'if asked["type"] == "player-name-request": name(asked)',
            'if asked["type"] == "play-turn": say({"type": "play-reply"})',
        )
    )
    assert player.first_faults[0].detail.startswith("`phase` is missing, not")


async def test_the_name_of_another_seat() -> None:
    player = await told(bot('asked["player_number"] = "player1"', "simple(asked)"))
    detail = '`player_number` is "player1", but the request says "player2"'
    assert player.first_faults[0].detail == detail


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("hm", "it is not JSON"),
        ('[{"from":1}]', "`to` of move 1 is missing, not a number"),
        ('{"type":"move-reply","moves":[]}', "`moves` is an object, not an array"),
    ],
)
async def test_a_fault_of_a_dialect_is_told_in_its_own_words(answer: str, wrong: str) -> None:
    """The report shows the original answer, the expected format and the section of the dialect."""
    bot = "classic:" + python(f"for line in open(0): print({answer!r}, flush=True)")
    (fault,) = (await bot_wars(bot)).first_faults
    assert (fault.code, fault.line) == ("bad-format", answer)
    assert fault.detail.startswith(f"the answer `{answer}` has another format: {wrong}; expected")
    assert fault.detail.endswith('[{"from":21,"to":22}], or [] for none (6.1)')


async def test_a_dialect_with_the_games_own_replies_has_its_words_too() -> None:
    hm = "original:" + bot('if asked["type"] in REQUESTS: os.write(1, b"{\'type\': 1}\\n")')
    player = await told(hm)
    assert "as Python prints it: write json.dumps(reply)" in player.first_faults[-1].detail


async def test_an_empty_line_is_told_to_be_skipped() -> None:
    empty = "classic:" + python("for line in open(0): print(flush=True)")
    left = (await bot_wars(empty, time_limit=0.5)).disqualification
    assert left is not None
    assert "wrote only an empty line, which is skipped (1.1)," in left.cause
    assert left.asked.startswith('{"player":"r","state":{')  # the request in the bot's dialect


async def bot_wars(bot: str, **options: object) -> PlayerResult:
    """Play Bot Wars against itself and return the result of the bot in seat 1."""
    spec = match_spec([bot, bot], game="botwars", seed=1, options=options)
    with launch_bots([find_bot(bot, "botwars") for bot in spec.bots], spec.limits) as started:
        return (await play_once(spec, started)).result.players[0]


async def test_a_bot_that_does_not_know_the_handshake_may_speak_a_dialect() -> None:
    classic = python("import json; json.loads(input())['state']")
    left = (await bot_wars(classic)).disqualification
    assert left is not None
    assert left.cause == (
        "its stderr says: KeyError: 'state'; "
        f'if it speaks a dialect, give it as "classic:{classic}"'
    )


# --- notes ----------------------------------------------------------------------------------------

BUYS = """
if asked["type"] == "play-turn":
    reply = {"type": "play-reply", "phase": "buy" if asked["buys"] else "cleanup"}
    if asked["buys"]: reply |= {"cardsToBuy": ["copper"]}
    say(reply)
elif asked["type"] != "play-turn": simple(asked)
"""


async def test_a_field_that_nobody_reads() -> None:
    player = await told(bot(*BUYS.strip().splitlines()))
    assert player.faults == {}
    misspelt, nothing = player.notes
    assert "`cardsToBuy` of its play-reply is ignored; did you mean `cards_to_buy`?" in misspelt
    assert "bought nothing in 8 turns" in nothing


async def test_answering_twice_is_named_before_what_follows_from_it() -> None:
    buys = 'say({"type": "play-reply", "phase": "buy" if asked["buys"] else "cleanup"})'
    is_name, is_turn = (f'if asked["type"] == "{kind}": ' for kind in REQUESTS[:2])
    player = await told(bot(f"{is_name}name(asked)", f"{is_turn}{buys}", f"{is_turn}{buys}"))
    first, *others = player.first_faults
    assert first.code == "no-buys"
    assert re.match(r"it wrote \d+ lines without a request, such as `", first.detail)
    assert first.detail.endswith("answered this request: a buy reply with no buys left")
    assert all(fault.follows for fault in others)
    assert not any("nobody asked" in note for note in player.notes)


async def test_lines_that_nobody_asked_for_and_that_are_replies() -> None:
    """The lines are used for later requests, so they're noted but aren't faults."""
    early = "say({'type': 'play-reply', 'phase': 'cleanup'})"
    eager = bot("simple(asked)", f'if asked["type"] == "game-info": {early}')
    player = await told(eager)
    assert player.faults == {}
    assert "it wrote a line without a request" in player.notes[0]


async def test_an_exit_code_at_the_end() -> None:
    player = await told(bot("simple(asked)").replace("import json", "import atexit, json"))
    assert not any("exit code" in note for note in player.notes)
    player = await told(
        python(HEAD + "while True:\n    asked = json.loads(input())\n    simple(asked)")
    )
    assert "exit code 1 (EOFError: EOF when reading a line)" in player.notes[-1]


# --- disqualifications ----------------------------------------------------------------------------


async def cause(code: str, reason: str, **options: object) -> str:
    """Return why a bot was disqualified. A bot that is silent has a second for each reply."""
    player = await told(code, **({"time_limit": 1.0} if reason == "timeout" else {}) | options)
    assert player.disqualified == reason
    assert player.disqualification is not None
    return player.disqualification.cause


async def test_no_line_end() -> None:
    turn = "say({'type': 'play-reply'}, end='')"
    code = bot(f'{turn} if asked["type"] == "play-turn" else simple(asked)')
    said = await cause(code, "timeout")
    assert said == 'it wrote `{"type": "play-reply"}` without a line end'


async def test_no_flush() -> None:
    code = python(
        "import json\nfor line in open(0):\n"
        "    asked = json.loads(line)\n"
        "    print(json.dumps({'type': 'player-name-reply', 'name': 'A',"
        " 'player_number': asked['player_number']}))"
    )
    said = await cause(code, "startup-timeout", startup_limit=2)
    assert "does not flush its output after every line, or it reads its input in blocks" in said


async def test_input_that_is_read_to_its_end() -> None:
    code = python(HEAD + "for line in sys.stdin.read().splitlines(): simple(json.loads(line))")
    said = await cause(code, "startup-timeout", startup_limit=2)
    assert "or to its end instead of line by line" in said


async def test_a_request_without_an_answer() -> None:
    said = await cause(bot('if asked["type"] != "play-turn": simple(asked)'), "timeout")
    assert (
        "so it has no answer to play-turn; if it plays another game than dominion, add --g" in said
    )
    assert "not computing" in said


async def test_a_later_request_without_an_answer() -> None:
    """The bot has replied before, so it wasn't written for another game."""
    once = 'turns = globals().get("turns", 0) + (asked["type"] == "play-turn")'
    said = await cause(bot(once, "if turns < 2: simple(asked)"), "timeout")
    assert said.endswith("so it has no answer to play-turn")


@pytest.mark.slow
async def test_an_endless_loop() -> None:
    loop = bot('while asked["type"] == "play-turn": pass', "simple(asked)")
    said = await cause(loop, "timeout", time_limit=0.05)
    assert said.startswith("it was computing (")
    assert "flush" not in said


async def test_a_pause() -> None:
    said = await cause(
        bot('if asked["type"] == "play-turn": time.sleep(100)', "simple(asked)"), "timeout"
    )
    assert "did not wait for input: a sleep, a lock, the network?" in said


async def test_a_bot_that_does_not_read() -> None:
    said = await cause(python("import time; time.sleep(100)"), "startup-timeout", startup_limit=1)
    assert "did not read its input" in said


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise KeyError('duchy')", "its stderr says: KeyError: 'duchy'"),
        ("sys.exit(0)", "it ended by itself in the middle of the match, without an error"),
        ("os._exit(139)", "means SIGSEGV"),
        ("say({}, end=''); sys.exit(3)", "its last line, `{}`, has no line end"),
    ],
)
async def test_an_exit(code: str, says: str) -> None:
    said = await cause(bot(f'if asked["type"] == "play-turn": {code}', "simple(asked)"), "exited")
    assert says in said


async def test_an_exit_before_the_handshake() -> None:
    said = await cause(python("class MyBot: pass"), "exited")
    assert "needs MyBot.run() as the last line" in said


# --- the look at a silent bot ---------------------------------------------------------------------

HOSTILE = {
    "writes lines when its input has ended": "sys.stdin.read()\n    while True: say({})",
    "drips": "while True: os.write(1, b'x'); time.sleep(0.01)",
    "forks": "while os.fork(): time.sleep(0.01)\n    time.sleep(100)",
    "closes its output in the end": "sys.stdin.read(); os.close(1); time.sleep(100)",
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_nothing_prolongs_the_look(name: str) -> None:
    code = HEAD + LOOP + "    simple(asked) if asked['type'] != 'play-turn' else None\n"
    code += "    if asked['type'] != 'play-turn': continue\n    " + HOSTILE[name]
    with trio.fail_after(60):
        player = await told(python(code), time_limit=0.05)
    assert player.disqualified == "timeout"


async def test_the_look_leaves_the_record_as_it_was() -> None:
    """The bot exits because we close its stdin, but it must count as killed (8.3)."""
    player = await told(bot('if asked["type"] != "play-turn": simple(asked)'), time_limit=1.0)
    assert player.disqualified == "timeout"
    assert player.exit_code == -9


async def test_stderr_that_the_look_has_brought_about_is_not_told() -> None:
    """Closing stdin makes it print an EOFError, which would mislead the author."""
    loop = "while True:\n    asked = json.loads(input())\n"
    code = python(HEAD + loop + '    if "request" in asked["type"]: simple(asked)')
    player = await told(code, time_limit=1.0)
    assert player.disqualified == "timeout"
    assert player.stderr is not None
    assert player.stderr.lines == []


# --- evidence without a match ---------------------------------------------------------------------

REPLY = b'{"type":"play-reply","phase":"cleanup"}'
QUIET = ProcessReport(Stderr([]))


def judged(
    *faults: tuple[str, int, bytes],
    words: ProcessReport | None = QUIET,
    left: Disqualification | None = None,
    game: str = "dominion",
    **others: Any,
) -> Diagnosis:
    """Judge a bot by its faults: their codes, the number of the request, and the reply."""
    evidence = Evidence()
    for code, request, line in faults:
        evidence.to_answer = b'{"type":"play-turn"}'
        evidence.note_line(line)
        evidence.note_fault(Fault(0, code, "5.5", "as the game says"), request)
    out = left and Disqualified(0, left, "detail", b'{"type":"play-turn"}')
    facts = {"sent": b"", "bot": "bot", "requests": 9, "exit_code": None, "count": len(faults)}
    return diagnosis(GAMES[game], evidence, words, left=out, **facts | others)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "requests", "left", "notes"),
    [
        (2, 5, None, ["bad move"]),
        (2, 4, None, []),
        (0, 1, None, ["bad move"]),
        (0, 0, None, []),
        (0, 5, Disqualification.EXITED, []),
    ],
)
def test_moves_are_judged_if_less_than_half_the_replies_are_faults(
    count: int, requests: int, left: Disqualification | None, notes: list[str]
) -> None:
    told = judged(count=count, requests=requests, left=left, notes=["bad move"])
    assert told.notes == notes


@pytest.mark.parametrize(
    ("unasked", "request_", "first_unasked", "follows"),
    [
        (2, 2, REPLY, True),
        (1, 2, REPLY, False),  # it may have come after the last reply
        (2, 1, REPLY, False),
        (2, 2, b"hello", False),  # it answers nothing
    ],
)
def test_a_line_without_a_request_may_have_answered_a_later_one(
    unasked: int, request_: int, first_unasked: bytes, follows: bool
) -> None:
    words = ProcessReport(Stderr([]), unasked, first_unasked)
    told = judged(("no-buys", request_, REPLY), ("no-card", request_, REPLY), words=words)
    first, second = told.first_faults
    assert ("One of them probably answered this request" in first.detail) == follows
    assert (first.follows, second.follows) == (False, follows)
    assert bool(told.notes) != follows  # the lines are reported once


@pytest.mark.parametrize("size", [2000, 2001])
def test_a_long_reply_is_cut(size: int) -> None:
    (fault,) = judged(("bad-phase", 1, b"x" * size)).first_faults
    assert fault.line == "x" * 2000


def test_the_first_fault_of_each_kind_is_told() -> None:
    told = judged(("no-buys", 1, REPLY), ("no-buys", 2, REPLY), ("no-card", 3, REPLY))
    assert [(fault.code, fault.request) for fault in told.first_faults] == [
        ("no-buys", 1),
        ("no-card", 3),
    ]


@pytest.mark.parametrize(
    ("exit_code", "says"),
    [
        (None, ""),
        (0, ""),
        (3, "when its input had ended, it ended with exit code 3: the end"),
        (-15, "it did not exit when its input had ended, as it must (8.4), and was ended by SIG"),
    ],
)
def test_the_exit_after_the_match(exit_code: int | None, says: str) -> None:
    told = judged(exit_code=exit_code)
    assert "".join(told.notes).startswith(says)
    assert bool(told.notes) == bool(says)


def cause_of(left: Disqualification, words: ProcessReport | None = QUIET, **others: Any) -> str:
    told = judged(left=left, words=words, **others).disqualification
    assert told is not None
    return told.cause


def test_the_cause_of_an_exit() -> None:
    cut = ProcessReport(Stderr(["KeyError: 1"]), unfinished=b" {")
    assert "no line end" in cause_of(Disqualification.EXITED, cut)
    blank = ProcessReport(Stderr(["KeyError: 1"]), unfinished=b" ")
    assert cause_of(Disqualification.EXITED, blank) == "its stderr says: KeyError: 1"
    unasked = ProcessReport(Stderr([]), 1, b"hello")
    assert "such as `hello`" in cause_of(Disqualification.OUTPUT_LIMIT, unasked)
    assert cause_of(Disqualification.OUTPUT_LIMIT) == ""
    assert cause_of(Disqualification.EXITED, None) == ""  # no process


@pytest.mark.parametrize(
    ("sent", "asked"), [(b"", '{"type":"play-turn"}'), (b"your\n turn?\n", "your turn?")]
)
def test_the_request_is_shown_as_the_bot_got_it(sent: bytes, asked: str) -> None:
    left = judged(left=Disqualification.EXITED, sent=sent).disqualification
    assert left is not None
    assert (left.asked, left.request) == (asked, 9)


@pytest.mark.parametrize(("requests", "is_told"), [(0, True), (1, False)])
def test_a_dialect_is_suggested_if_the_bot_has_answered_nothing(
    requests: int, is_told: bool
) -> None:
    said = cause_of(Disqualification.EXITED, requests=requests, game="botwars")
    assert ("if it speaks" in said) == is_told

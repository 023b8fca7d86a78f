"""`referee conform`: what it prints and writes, its exit codes, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from referee import cli
from referee.cli.commands import conform
from referee.conformance.verdict import Report
from referee.errors import UsageError
from referee.games import GAMES
from referee.match.pages import game_page
from referee.tournament.playing import starting
from tests.support.forked_referee import ForkedReferee, forked_referee
from tests.support.live import hostile, is_running, one_line, referee, schema
from tests.support.typing_person import on_a_terminal

SCHEMA = schema("conformance-report")
OVERSPENDS = """
import json, sys
print("\\x1b[31mI am <b>awake</b>\\x07", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "player-name-request":
            reply = {"type": "player-name-reply", "player_number": message["player_number"],
                     "name": "<script>Rich & beautiful</script>"}
        case "play-turn" if message["buys"] and message["hand"]:
            reply = {"type": "play-reply", "phase": "buy", "cards_to_buy": ["province"],
                     "treasures": []}
        case "play-turn":
            reply = {"type": "play-reply", "phase": "cleanup"}
        case "attack-request":
            reply = {"type": "attack-reply", "discard": message["options"][: message["discard"]]}
        case _:
            continue
    print(json.dumps(reply), flush=True)
"""
CASES = tuple(f"--case={case}" for case in ("3.1/1", "3.1/5", "5.2/1", "5.2/2"))
FEW = ("--case", "1.1/1", "--case", "5.1/1")


PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


@pytest.fixture
def overspends(tmp_path: Path) -> str:
    """A bot that buys cards it cannot pay for, and leaves the version out of its reply."""
    file = tmp_path / ("longer-than-a-line-" * 5) / "rich.py"
    file.parent.mkdir()
    file.write_text(OVERSPENDS)
    return str(file)


def words_of(text: str) -> str:
    """Join the lines of a text, so that we can search it for phrases."""
    return " ".join(text.split())


# --- text -----------------------------------------------------------------------------------------


def test_a_bot_that_conforms() -> None:
    done = referee("conform", "minimal", *FEW)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in done.stdout  # no colours in a pipe
    assert lines[0] == "1 Framing               1 of 1 passed"
    assert lines[1] == "5 Replies to play-turn  1 of 1 passed"
    assert "minimal conforms: 2 of 2 cases passed" in done.stdout
    assert "Note" not in done.stdout


@pytest.mark.slow
def test_cases_in_other_messages_do_not_apply_to_a_bot_with_a_dialect() -> None:
    few = ("--case", "2", "--case", "1.1/6")
    done = referee("conform", "classic:classic_spender", *few)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:3] == [
        "1 Framing                    1 of 1 passed",
        "2 Messages from the referee  2 do not apply",
        "2 do not apply, only for bots that speak the game's own messages: 2.2/1, 2.2/2",
    ]
    verdict = "conforms: 1 of 1 cases that apply to its dialect passed, in"
    assert verdict in words_of(done.stdout)


def test_each_case_is_shown_if_asked_for() -> None:
    done = referee("conform", "minimal", *FEW, "--verbose")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "1 Framing"
    assert lines[1].split()[:3] == ["ok", "1.1/1", "MUST"]
    assert "5 Replies to play-turn" in lines


def test_a_failure_is_shown_with_all_that_is_needed_to_mend_it(overspends: str) -> None:
    done = referee("conform", overspends, "--case", "5.2/1", "--case", "5.2/2", "--verbose")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    text = done.stdout
    assert max(len(line) for line in text.splitlines() if overspends not in line) <= 80
    for words in (
        "section   5.2: cannot-buy",
        "expected  a legal reply, such as ",
        'actual    cards_to_buy[0] is "province", which costs 8, with ',
        'request   {"type":"play-turn"',
        'reply     {"type": "play-reply", "phase": "buy"',
        "note      This match begins in the middle of a game: the counts of its",
        "last lines",
        '> {"type":"play-turn"',
        "stderr",
        "[31mI am <b>awake</b>",
        "also      5.2/2",
        "  referee explain 5.2\n",
        f"  referee conform {overspends} --seed 1 --case 5.2/1\n",
    ):
        assert words in text
    assert "rule `cards_to_buy`, list of cards: cards to buy, one buy each;" in words_of(text)
    assert "and it is a fault, `cannot-buy`." in words_of(text)


@pytest.mark.slow
def test_cases_that_fail_for_one_reason_are_shown_once(overspends: str) -> None:
    """A failure with the same cause as an earlier one is listed as "also", not described again."""
    done = referee("conform", overspends, *CASES)
    assert done.stdout.startswith("warn  3.1/5  SHOULD")
    assert "\nFAIL  5.2/1  MUST" in done.stdout
    assert '\nFAIL  2 cases: cards_to_buy[0] is "province", which costs 8, ' in done.stdout
    assert "      first     5.2/1, shown above\n      also      5.2/2\n" in done.stdout
    assert done.stdout.count("section   5.2: cannot-buy") == 1
    # the request and the reply are enough
    assert "last lines" not in done.stdout.partition("5.2/1")[2]
    assert "3 Handshake             1 of 2 passed, 1 failed\n" in done.stdout


def test_a_failure_is_shown_before_the_next_case_ends(overspends: str, tmp_path: Path) -> None:
    """The bot blocks in the second case. We can read the first failure only if it was flushed."""
    go = tmp_path / "go"
    os.mkfifo(go)
    bot = tmp_path / "bot.py"
    waits = f"if 'attack-request' in line: open({str(go)!r}).read()\n    message = json"
    bot.write_text(OVERSPENDS.replace("message = json", waits, 1))
    words = ["--case", "5.2/1", "--case", "7.1/2", "--time-limit", "60", "--jobs", "1"]
    pipe = {"stdout": subprocess.PIPE, "text": True}
    with ForkedReferee("conform", str(bot), *words, **pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("FAIL  5.2/1  MUST")
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 130
    assert "section   5.2: cannot-buy" in rest
    assert "FAIL" not in rest


def test_a_failure_names_the_section_that_has_the_reply_to_write() -> None:
    bot = f"{sys.executable} -c 'input()'"
    done = referee("conform", bot, "--case", "3.4/1")
    words = "to write  the reply of section 3.1: referee explain 3.1"
    assert words not in done.stdout  # the section of the case is in that chapter already
    reply = '{"type":"player-name-reply","player_number":"player2","name":"x","version":1}'
    ends = f"import sys; sys.stdin.readline(); print({reply!r}, flush=True); sys.stdin.readline()"
    for game, section in (("dominion", "7.2"), ("tribute", "5.3")):
        page = game_page(GAMES[game])
        request = "attack-request" if game == "dominion" else "choose-request"
        assert page.reply_section(request) == section
    done = referee("conform", shlex.join([sys.executable, "-c", ends]), "--case", "7.1/1")
    assert done.returncode == 1
    assert "to write  the reply of section 7.2: referee explain 7.2\n" in done.stdout


@pytest.mark.slow
def test_the_first_failure_ends_the_run(overspends: str) -> None:
    done = referee("conform", overspends, *CASES, "--strict", "-x")
    assert done.returncode == 1
    assert done.stdout.startswith("FAIL  3.1/5  SHOULD")
    assert "5.2/1, 5.2/2 skipped: -x ended the run at 3.1/5" in words_of(done.stdout)
    assert done.stdout.count("FAIL") == 1
    # without --strict, a SHOULD case doesn't end the run
    done = referee("conform", overspends, *CASES, "-x")
    assert "FAIL  5.2/1" in done.stdout


@pytest.mark.slow
def test_a_change_of_the_bot_runs_the_cases_again(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    new = tmp_path / "new.py"
    bot.write_text("raise SystemExit(3)\n")
    right = referee("bots", "--show", "minimal").stdout
    with ForkedReferee("conform", str(bot), "--case", "3.4/1", "--watch", **PIPES) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        waits = "referee: waiting for a change of the bot's files; Ctrl-C ends\n"
        assert process.stderr.readline() == waits
        new.write_text(right)
        new.replace(bot)
        assert process.stderr.readline() == waits
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
    assert process.returncode == 130
    assert "does not conform" in words_of(said)
    assert f"{bot} conforms: 1 of 1 cases passed" in words_of(said)


@pytest.mark.slow
def test_a_bot_that_writes_into_its_folder_is_not_tested_for_ever(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(f"command = '{sys.executable} bot.py'\n")
    log = "open('bot.log', 'a').write('started ')\n"
    (folder / "bot.py").write_text(log + referee("bots", "--show", "minimal").stdout)
    words = ["conform", str(folder), "--case", "3.4/1", "--watch", "--quiet", "--sandbox", "none"]
    with ForkedReferee(*words, **PIPES) as process:
        assert process.stderr is not None
        waits = "referee: waiting for a change of the bot's files; Ctrl-C ends\n"
        says = "referee: files in the bot's folder change in each test: only later changes count\n"
        # Other lines say that a tournament's sandbox would not let it write.
        lines = (line for line in process.stderr if line in (waits, says))
        assert [*islice(lines, 3)] == [waits, says, waits]
        (folder / "bot.py").write_text("raise SystemExit\n")
        assert next(lines) == waits
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert (folder / "bot.log").read_text().count("started") == 2


@pytest.mark.slow
def test_a_bot_that_writes_a_file_once_is_tested_once_more(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(f"command = '{sys.executable} bot.py'\n")
    bot = referee("bots", "--show", "minimal").stdout
    (folder / "bot.py").write_text("open('bot.log', 'w').close()\n" + bot)
    words = ["conform", str(folder), "--case", "3.4/1", "--watch", "--quiet", "--sandbox", "none"]
    with ForkedReferee(*words, **PIPES) as process:
        assert process.stderr is not None
        lines = (
            line for line in process.stderr if line.startswith(("referee: wait", "referee: file"))
        )
        assert ["wait" in line for line in islice(lines, 2)] == [True, True]
        process.send_signal(signal.SIGINT)
        process.communicate()


def test_what_should_be_is_a_warning_unless_strict() -> None:
    bot = (
        'perl -e \'$|=1; <>; print qq({"type":"player-name-reply","player_number":"player1",'
        '"name":"x"}\\n); <>\''
    )
    done = referee("conform", bot, "--case", "3.1/5")
    assert done.returncode == 0, done.stdout
    assert "warn  3.1/5  SHOULD" in done.stdout
    assert "conforms: 0 of 1 cases passed, 1 that should pass failed" in done.stdout
    done = referee("conform", bot, "--case", "3.1/5", "--strict")
    assert done.returncode == 1
    assert "FAIL  3.1/5  SHOULD" in done.stdout
    assert "does not conform" in done.stdout


@pytest.mark.slow
def test_quiet_leaves_out_what_passed(overspends: str) -> None:
    done = referee("conform", overspends, *CASES, "--quiet")
    assert done.returncode == 1
    assert done.stdout.startswith("warn")
    assert "Handshake" not in done.stdout
    assert "does not conform: " in words_of(done.stdout)
    done = referee("conform", "minimal", "--case", "1.1/1", "--quiet")
    assert done.stdout.startswith("minimal conforms: 1 of 1 cases passed, in ")
    assert done.stdout.count("\n") == 1


@pytest.mark.slow
def test_quiet_with_a_file_leaves_the_verdict_alone(overspends: str, tmp_path: Path) -> None:
    output = tmp_path / "report.txt"
    done = referee("conform", overspends, *CASES, "--quiet", "--output", str(output))
    assert done.returncode == 1
    assert words_of(done.stdout).startswith(f"{overspends} does not conform")
    assert words_of(done.stdout).endswith(" s.")
    assert "FAIL" not in done.stdout
    assert output.read_text().startswith("FAIL")


def test_a_bot_that_does_not_start_leaves_the_rest_unjudged() -> None:
    done = referee("conform", f"{sys.executable} -c 'raise SystemExit(3)'")
    assert done.returncode == 1
    assert "FAIL  3.4/1" in done.stdout
    assert "its process ended with exit code 3" in done.stdout
    assert "5 Replies to play-turn             0 of 22 passed, 22 not judged" in done.stdout
    assert "more not judged: see 3.4/1" in words_of(done.stdout)
    assert done.stdout.count("FAIL") == 1


def test_a_bot_that_reads_in_blocks_is_not_only_told_to_flush(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import sys\n"
        "sys.stdin.buffer.read(65536)\n"  # like mawk
        'print(\'{"type":"player-name-reply","player_number":"player1","name":"x"}\', flush=True)\n'
    )
    done = referee("conform", str(bot), "--case", "1.1/1", "--timeout", "0.5")
    assert done.returncode == 1
    said = words_of(done.stdout)
    assert "and not in the 0.5 s after them: when its input had ended" in said
    assert "does not flush its output after every line, or it reads its input in blocks" in said


def test_an_environment_without_buffers_hides_no_missing_flush(
    overspends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")  # most containers set this
    bot = Path(overspends)
    bot.write_text(
        OVERSPENDS.replace("print(json.dumps(reply), flush=True)", "print(json.dumps(reply))")
    )
    done = referee("conform", str(bot), "--case", "1.1/1", "--timeout", "0.5")
    assert done.returncode == 1
    assert "section   1.1: no-flush" in done.stdout


def test_a_bot_that_dies_of_a_signal_without_a_name() -> None:
    done = referee("conform", hostile("die_at", "1:50"), "--case", "5.1/5")
    assert (done.returncode, done.stderr) == (1, "")
    assert "its process was ended by signal 50" in done.stdout


def test_a_command_to_go_on_with_names_the_game() -> None:
    done = referee("conform", "--game", "botwars", f"classic:{sys.executable} -c pass", "-q")
    assert (done.returncode, done.stderr) == (1, "")
    assert "FAIL  1.2/3" in done.stdout
    assert "pass' --game botwars --seed 1 --case 1.2/3\n" in done.stdout


def test_list() -> None:
    done = referee("conform", "--list", "--case", "7.3")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "7 Militia and moat"
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == ["7.3/1", "7.3/2", "7.3/3"]
    done = referee("conform", "--list", "--case", "7.3", "--format", "json")
    assert [case["id"] for case in json.loads(done.stdout)] == ["7.3/1", "7.3/2", "7.3/3"]


# --- other formats --------------------------------------------------------------------------------


def test_json_is_one_object_by_its_schema(overspends: str) -> None:
    done = referee("conform", overspends, *CASES, "--format", "json", "--seed", "7")
    assert done.returncode == 1
    report = json.loads(one_line(done.stdout))
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert (report["tested"], report["command"], report["seed"]) == ("bot", overspends, 7)
    assert (report["conforms"], report["strict"]) == (False, False)
    assert report["passed"] + report["failed"] + report["not_judged"] == len(report["cases"])
    failed = {case["id"]: case for case in report["cases"] if case["status"] == "failed"}
    assert failed.keys() == {"3.1/5", "5.2/2", "5.2/1"}
    (violation,) = failed["5.2/2"]["violations"]
    assert (violation["kind"], violation["section"]) == ("cannot-buy", "5.2")
    assert json.loads(violation["reply"])["cards_to_buy"] == ["province"]


def test_quiet_says_why_nothing_was_judged() -> None:
    done = referee("conform", f"{sys.executable} -c pass", "--case", "3.1/1", "--quiet")
    assert done.returncode == 1
    assert "3.1/1 not judged: its process ended with exit code 0" in words_of(done.stdout)


@pytest.mark.slow
def test_junit_counts_what_counts(overspends: str) -> None:
    done = referee("conform", overspends, *CASES, "--format", "junit")
    assert done.returncode == 1
    suites = ElementTree.fromstring(done.stdout)
    names = [suite.get("name") for suite in suites.iter("testsuite")]
    assert names == ["3 Handshake", "5 Replies to play-turn", "notes"]
    assert (suites.get("failures"), suites.get("errors"), suites.get("skipped")) == ("2", "0", "2")
    assert suites.get("tests") == str(len(list(suites.iter("testcase"))))
    messages = [str(failure.get("message")) for failure in suites.iter("failure")]
    assert all(message.startswith("5.2: expected ") for message in messages)
    strict = referee("conform", overspends, "--case=3.1/5", "--format", "junit", "--strict")
    suites = ElementTree.fromstring(strict.stdout)
    assert (suites.get("failures"), suites.get("skipped")) == ("1", "0")


def test_what_could_not_be_judged_is_an_error_in_junit() -> None:
    bot = f"{sys.executable} -c pass"
    done = referee("conform", bot, "--format", "junit")
    suites = ElementTree.fromstring(done.stdout)
    assert suites.get("failures") == "1"
    assert int(suites.get("errors", "")) > 60
    assert "3.4/1" in str(next(suites.iter("error")).get("message"))


class _Words(HTMLParser):
    """Collects a page's text and the names of its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.elements: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        # The page must not load anything from elsewhere.
        assert not any(name in ("src", "srcset") for name, _ in attrs)
        assert all(str(value).startswith("#") for name, value in attrs if name == "href")

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.slow
def test_the_page_holds_everything_and_nothing_of_a_bot_as_markup(
    overspends: str, tmp_path: Path
) -> None:
    output = tmp_path / "report.html"
    few = ("--case=5.2/1", "--case=5.2/2")
    done = referee("conform", overspends, *few, "--format", "html", "--output", str(output))
    assert done.returncode == 1
    words = _Words()
    words.feed(output.read_text(encoding="utf-8"))
    assert "script" not in words.elements
    assert "b" not in words.elements
    assert "<script>Rich & beautiful</script>" in words.text
    assert "Does not conform" in words.text
    assert 'cards_to_buy[0] is "province", which costs 8, with 0 left' in words.text
    assert "FAIL  2 cases: " in done.stdout  # the text is printed as well
    assert "details" in words.elements
    # Text in backticks is shown as code, and so is JSON.
    assert "<code>cannot-buy</code>" in output.read_text()
    assert "`" not in words.text


def test_the_table_can_be_written_to_a_file(tmp_path: Path) -> None:
    output = tmp_path / "report.txt"
    done = referee("conform", "minimal", "--case", "1.1/1", "--output", str(output))
    assert done.returncode == 0
    assert output.read_text() == done.stdout


# --- wrong usage ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "conform takes a BOT"),
        (["no_such_bot"], "no_such_bot"),
        (["http://"], "is not a valid address"),
        (["http://127.0.0.1:9/", "--case", "8.4"], "no case to try with this BOT: 8.4/1 is only"),
        (["--game", "botwars", "classic:no_such_bot"], "BOT no_such_bot not found"),
        (["--game", "botwars", "classic-form:minimal"], "is only for http:// and https://"),
        (["original:http://127.0.0.1:9/"], "http://127.0.0.1:9/: original is only for programs"),
        (["--game", "botwars", "--referee", "x {players}"], "this game has no probes yet"),
        (["--game", "botwars", "--referee", "x {players}", "--list"], "has no probes yet"),
        (["minimal", "--case", "11.9"], "no case matches '11.9'"),
        (["http://localhost:1/", "--watch"], "--watch: BOT http://localhost:1/ names no file"),
        (["./no_such.py", "--watch"], "BOT ./no_such.py not found"),
        (["--referee", "x {players}", "--watch"], "--watch is for a BOT"),
        (["--referee", "x {players}", "-x"], "-x is for a BOT"),
        (["minimal", "--format", "yaml"], "yaml"),
        (["minimal", "--timeout", "0"], "'0' is not a number of seconds above 0"),
        (["minimal", "--jobs", "0"], "'0' is not an integer of 1 or more"),
        (["minimal", "minimal"], "too many arguments: minimal"),
        (["minimal", "--output", "/no/such/folder/x"], "the folder does not exist"),
        (["minimal", "--output", "/"], "it is a directory"),
        (["minimal", "--referee", "x {player1} {player2}"], "not both"),
        (["--referee", "x {player1}"], "{player2} is missing"),
        (["--referee", "x {player1} {player2} {bot}"], "unknown placeholder {bot}"),
        (["--referee", "x {player1} '{player2}"], "no closing quotation"),
        (["--referee", "x {player1} {player2}", "--case", "4.7"], "no place for the players or"),
        (["--referee", "no_such {players}"], "COMMAND no_such not found: no program of that name"),
        (["--referee", "./no_such {players}"], "COMMAND ./no_such not found: no such file"),
        (["--referee", "/ {players}"], "COMMAND / is a directory: give the program in it"),
        (["--referee", "'' {players}"], "COMMAND is empty: give a program"),
        (["--referee", f"{__file__} {{players}}"], "is not executable; give it its run bit"),
    ],
)
def test_wrong_usage_is_one_line_and_2(arguments: list[str], says: str) -> None:
    done = referee("conform", *arguments)
    assert done.returncode == 2
    assert says in one_line(done.stderr)
    assert done.stdout == ""


def test_a_report_that_cannot_be_written() -> None:
    done = referee("conform", "minimal", "--case", "1.1/1", "--output", "/dev/full")
    assert done.returncode == 2
    assert "cannot write /dev/full: No space left on device" in one_line(done.stderr)
    assert "minimal conforms" in done.stdout


@pytest.mark.parametrize("arguments", [(), ("--format", "json")])
def test_a_full_standard_output(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = forked_referee("conform", "minimal", "--case", "1.1/1", *arguments, stdout=full)
    assert done.returncode == 2
    assert "cannot write standard output" in one_line(done.stderr)


# --- another referee ------------------------------------------------------------------------------

OURS = f"{sys.executable} -m referee play {{player1}} {{player2}} --quiet"


@pytest.mark.slow
def test_a_referee_that_conforms() -> None:
    done = referee("conform", "--referee", OURS, "--case", "3.1/2")
    assert done.returncode == 0, done.stdout
    # On a slow machine, progress lines are printed from time to time.
    assert re.fullmatch(r"(referee: \d+ matches, \d+ s\n)*", done.stderr), done.stderr
    assert "3 Handshake  1 of 1 passed" in done.stdout
    assert "conforms: 1 of 1 cases passed" in words_of(done.stdout)


@pytest.mark.slow
def test_a_referee_that_departs_is_shown_what_is_right(tmp_path: Path) -> None:
    generous = tmp_path / "generous.py"
    generous.write_text(
        "import sys\n"
        "from referee.games.dominion.rules import cards, table\n"
        "table.Table.draw = lambda self, player, count, draw=table.Table.draw: "
        "draw(self, player, count + (count == 3))\n"
        "from referee.cli import main\n"
        "print('four, not three', file=sys.stderr)\n"
        "sys.exit(main(['play', *sys.argv[1:], '--quiet']))\n"
    )
    command = f"{sys.executable} {generous} {{player1}} {{player2}} --seed {{seed}}"
    done = referee("conform", "--referee", command, "--case", "6.7", "--format", "json")
    assert done.returncode == 1
    report = json.loads(one_line(done.stdout))
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert (report["tested"], report["command"]) == ("referee", command)
    (case,) = report["cases"]
    assert (case["id"], case["status"]) == ("6.7/1", "failed")
    (violation,) = case["violations"]
    assert violation["expected"].startswith(
        'to player1, after the reply of player1: {"type":"play-turn"'
    )
    assert violation["request"].startswith('{"type":"play-turn"')
    assert json.loads(violation["reply"])["card"] == "smithy"
    assert case["stderr"] == ["four, not three"]


def test_a_referee_that_plays_nothing_leaves_the_rest_unjudged() -> None:
    done = referee("conform", "--referee", "false {player1} {player2}", "--quiet")
    assert done.returncode == 1
    assert done.stdout.count("FAIL") == 1
    assert "FAIL  2.1/1" in done.stdout
    assert "the referee ended with exit code 1" in words_of(done.stdout)
    assert "137 could not be judged" in words_of(done.stdout)
    shown = referee("conform", "--referee", "false {player1} {player2}").stdout
    assert "not judged: departed before, at pass, after line 0 to player1" in words_of(shown)
    assert "skipped: needs 3 seats: name {player3} in COMMAND, or {players}" in words_of(shown)


def test_a_match_of_a_referee_has_the_time_limit() -> None:
    never = "sh -c 'exec tail -f /dev/null' {player1} {player2}"
    done = referee("conform", "--referee", never, "--case", "3.1/2", "--time-limit", "0.1")
    assert done.returncode == 1
    ended = re.search(r"until the referee was ended after ([0-9.]+) s", words_of(done.stdout))
    assert ended is not None
    assert float(ended[1]) < 30  # without the option, it's a minute
    assert done.stdout.endswith(" --time-limit 0.1 --seed 1 --match names-1\n")


def test_the_cases_for_referees_are_listed_as_far_as_they_apply() -> None:
    two = referee("conform", "--referee", "x {player1} {player2}", "--list", "--format", "json")
    all_ = referee("conform", "--referee", "x {players} {seed}", "--list", "--format", "json")
    assert len(json.loads(two.stdout)) == 138
    assert len(json.loads(all_.stdout)) == 151


def test_an_interruption_ends_the_referee_and_its_bots(tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    code = f"import os, signal; open({str(started)!r}, 'w').write(str(os.getpid())); signal.pause()"
    template = f'{sys.executable} -c "{code}" {{player1}} {{player2}}'
    with ForkedReferee("conform", "--referee", template, **PIPES) as process:
        pid = int(started.read_text())  # blocks until the referee has started
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "interrupted after 0 matches" in one_line(said)
    assert not is_running(pid)


# --- how it ends ----------------------------------------------------------------------------------


def test_a_reader_that_has_enough() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = forked_referee("conform", "minimal", "--case", "1.1/1", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_the_bot(number: signal.Signals, tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    code = (
        "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"open({str(started)!r}, 'w').write(str(os.getpid())); signal.pause()"
    )
    bot = f'{sys.executable} -c "{code}"'
    with ForkedReferee("conform", bot, **PIPES) as process:
        pid = int(started.read_text())  # blocks until the bot has started
        process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == 128 + number
    assert "after 0 of 116 cases" in one_line(said)
    assert not is_running(pid)


@pytest.mark.slow
def test_on_a_terminal_it_says_how_far_it_is() -> None:
    code, shown = on_a_terminal("conform", "minimal", *FEW, "--verbose")
    assert code == 0
    assert "of 2 cases" in shown
    assert "\x1b[32mok\x1b[0m" in shown


@pytest.mark.slow
def test_on_a_terminal_a_failure_is_not_mixed_with_the_line_of_progress(tmp_path: Path) -> None:
    bot = tmp_path / "rich.py"
    bot.write_text(OVERSPENDS)
    code, shown = on_a_terminal("conform", str(bot), "--case", "5.2/1", "--case", "5.2/2")
    assert code == 1
    block = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).partition("FAIL  5.2/1")[2]
    lines = [line.strip() for line in block.partition("\n\n")[0].splitlines()]
    assert [line.split()[0] for line in lines if line][:3] == ["MUST", "section", "rule"]
    assert not any(" cases, " in line for line in lines)


def test_a_field_that_nobody_reads_is_noted(tmp_path: Path) -> None:
    """The bot conforms, as 1.5 allows unknown fields. Only this note says why it never buys."""
    right = referee("bots", "--show", "minimal").stdout
    bot, report = tmp_path / "bot.py", tmp_path / "report"
    bot.write_text(right.replace("cards_to_buy", "cardsToBuy"))
    words = ("conform", str(bot), "--case", "5.2/1", "--output", str(report))
    done = referee(*words, "--format", "junit")
    assert done.returncode == 0
    note = "the field `cardsToBuy` of its play-reply is ignored; did you mean `cards_to_buy`?"
    assert note in " ".join(done.stdout.split())
    suites = ElementTree.fromstring(report.read_text())
    assert note in [skipped.get("message") for skipped in suites.iter("skipped")]
    words_on_page = _Words()
    referee(*words, "--format", "html", "--force")
    words_on_page.feed(report.read_text())
    assert note.replace("`", "") in words_on_page.text


def test_the_folder_of_a_bot_that_does_not_find_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("open('no_such_book')\n")
    done = referee("conform", str(tmp_path / "bot.py"), "--case", "3.4/1")
    assert f"it was started in {tmp_path}, and a relative" in words_of(done.stdout)


@pytest.mark.parametrize("conforms", [True, False])
@pytest.mark.parametrize("broken", [None, "it does not start"])
def test_the_exit_code_is_of_the_report_and_of_the_start(
    conforms: bool,
    broken: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A bot in a folder that no tournament can start fails, although all its cases have passed."""
    (tmp_path / "bot.py").touch()
    (tmp_path / "bot.toml").write_text('command = "sh bot.py"\n')
    counts = {"passed": 1, "failed": 0, "not_judged": 0, "seconds": 0.0, "cases": []}
    report = Report("bot", "a", "dominion", 1, 1, False, conforms, **counts)
    monkeypatch.setattr(conform, "_run", lambda *args, **options: report)
    found = {} if broken is None else {0: UsageError(broken)}
    monkeypatch.setattr(starting, "start_once", lambda *args: found)
    code = cli.main(["conform", str(tmp_path), "--sandbox", "none", "--quiet"])
    assert code == (1 if broken or not conforms else 0)
    says = f"referee: no tournament can start it: {broken}\n" if broken and conforms else ""
    assert capsys.readouterr().err == says

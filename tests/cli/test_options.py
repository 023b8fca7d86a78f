"""The options of commands as typed fields: what a field reads, and that all fit their types."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pytest

from referee.cli import serving, values
from referee.cli.options import Option, Options, argument, flag, option, repeated, several
from referee.cli.options import parser_of as parser_of_options
from referee.cli.parser import COMMON_EXIT_CODES, Parser
from referee.cli.registry import COMMANDS, options_type
from referee.cli.serving import Address
from referee.cli.settings import Settings, limit_of, settings_options
from referee.cli.values import Count, DealSeedsInFile, Seconds
from tests.support.live import ROOT

SAMPLES: dict[Any, tuple[str, object]] = {
    values.count: ("3", 3),
    values.count_or_never: ("never", 0),
    limit_of: ("player2:time-limit=4", (1, "time_limit", 4.0)),
    values.number: ("-2.5", -2.5),
    values.player: ("player2", 2),
    values.probability: (".25", 0.25),
    values.seconds: ("2", 2.0),
    values.seed: ("0", 0),
    values.turns: ("3-4", (3, 4)),
    values.variable: ("A=1", ("A", "1")),
    values.ip_address: ("::1", "::1"),
    Path: ("a", Path("a")),
}
"""Maps each parser to an example text and the value that it should return."""


class MadeUp(Options):
    """Do something."""

    first: str = argument("FIRST", "the first")
    others: tuple[str, ...] = argument("OTHER", "all others")
    kind: Literal["a", "b"] = option(None, "a", "(default: %(default)s)")
    number: Count | None = option("N", None, "how many")
    wait: Seconds = option("S", 1.5, "(default: %(default)s)", hidden="--pause")
    names: tuple[str, ...] = repeated("NAME", "again and again")
    quiet: bool = flag("say nothing", flags="-q, --quiet", excludes="how")
    loud: bool = flag("say all", excludes="how")
    folder: str = several(
        [Option("folder", ("--folder",), "DIR", "where")],
        lambda given: given.get("folder", str(Path.cwd())),
    )


def read(*words: str) -> MadeUp:
    return MadeUp.of(vars(parser_of_options(MadeUp, Parser).read(words)), words)


class WithSettings(Options):
    """Do something."""

    settings: Settings = settings_options()


class OfTournament(Options):
    """Do something."""

    settings: Settings = settings_options(is_tournament=True)


@pytest.mark.parametrize(
    ("kind", "default"),
    [(WithSettings, "none; in a sandbox 1G"), (OfTournament, "1G")],
)
def test_the_help_of_a_limit_has_the_default_of_its_command(
    kind: type[Options], default: str
) -> None:
    text = " ".join(parser_of_options(kind, Parser).format_help().split())
    assert f"memory, such as 512M (default: {default})" in text


@pytest.mark.parametrize("turn", [1, -1])
def test_an_option_wins_over_set_in_any_order(turn: int) -> None:
    words = ["--set=max_turns=7", "--max-turns=9"][::turn]
    given = vars(parser_of_options(WithSettings, Parser).read(words))
    assert WithSettings.of(given, words).settings == {"max_turns": 9}


def test_what_is_given_has_the_type_of_its_field() -> None:
    words = ["x", "--number", "3", "y", "-q", "--names", "m", "--kind", "b", "--names", "n", "z"]
    made = read(*words)
    assert (made.first, made.others, made.kind, made.number) == ("x", ("y", "z"), "b", 3)
    assert (made.names, made.quiet, made.loud, made.wait) == (("m", "n"), True, False, 1.5)
    assert made.words == tuple(words)
    assert made.given.keys() == {"first", "others", "kind", "number", "names", "quiet"}
    assert read("x", "--pause", "2").wait == 2


def test_what_is_not_given_has_its_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = read("x")
    assert (made.others, made.kind, made.number, made.names) == ((), "a", None, ())
    assert made.folder == str(tmp_path)


def test_an_unknown_limit_of_one_bot_gets_a_hint() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="'tume-limit'; did you mean time-limit"):
        limit_of("1:tume-limit=3")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *(("1", 1), ("65536", 65536), ("1K", 1024), ("2M", 2 * 2**20), ("1G", 2**30)),
        *((f"{2**50}", 2**50), (f"{2**20}G", 2**50)),
        *((f"{2**50 + 1}", None), (f"{2**20 + 1}G", None), ("0", None), ("0M", None)),
        *(("-1", None), ("1k", None), ("K", None), ("", None), ("1.5M", None), ("1MM", None)),
    ],
)
def test_a_size_is_at_least_a_byte(text: str, size: int | None) -> None:
    if size is not None:
        assert values.size(text) == size
    else:
        with pytest.raises(argparse.ArgumentTypeError, match="is not a number of bytes, such as"):
            values.size(text)


def test_nobody_changes_options() -> None:
    made = read("x")
    with pytest.raises(AttributeError, match="kind of MadeUp cannot be changed"):
        made.kind = "b"  # type: ignore[misc]
    with pytest.raises(TypeError, match="MadeUp has no knd"):
        MadeUp(first="x", others=(), knd="a")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="MadeUp needs first"):
        MadeUp(others=())  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["x", "--kind", "c"], "invalid choice: 'c'"),
        (["x", "--number", "0"], "'0' is not an integer of 1 or more"),
        (["x", "-q", "--loud"], "not allowed with argument"),
        ([], "the following arguments are required: FIRST"),
    ],
)
def test_what_is_wrong(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read(*words)
    assert says in capsys.readouterr().err


def test_the_help_has_the_exit_codes_in_order() -> None:
    text = Parser(exit_codes=((1, "some failed"), (0, "all are right"))).format_help()
    codes = [int(line.split()[0]) for line in text.partition("exit codes:\n")[2].splitlines()]
    assert codes == sorted({0, 1, *COMMON_EXIT_CODES})


def test_the_help_has_the_defaults_and_hides_what_is_hidden() -> None:
    said = parser_of_options(MadeUp, Parser).format_help()
    assert "{a,b}" in said
    assert "(default: a)" in said
    assert "(default: 1.5)" in said
    assert "--pause" not in said


def test_a_type_that_no_option_has() -> None:
    with pytest.raises(TypeError, match="size: no option is read as <class 'int'>"):

        class Wrong(Options):
            """Fail."""

            size: int = option("N", 1, "how many")


@pytest.mark.parametrize("command", COMMANDS)
def test_fields_are_read_as_their_types(command: str, tmp_path: Path) -> None:
    """Type checkers trust the annotation, so the parser must return a value of that type."""
    kind = options_type(command)
    hints = get_type_hints(kind, include_extras=True)
    for name, field in kind.fields.items():
        assert all(each.help or each.hidden for each in field.options)
        if len(field.options) > 1:
            continue  # a table, tests/match/test_spec.py; seeds, tests/text/test_encoding.py
        (only,) = field.options
        text, expected = sample(only, tmp_path)
        given = text if only.read is None else only.read(text)
        found = field.value({name: [given] if only.is_repeated else given})
        for value in found if only.is_repeated else [found]:
            assert value == expected, name
            assert fits(value, hints[name]), name


def sample(option: Option, folder: Path) -> tuple[Any, object]:
    if option.nargs == 0:
        return True, True
    if option.words is not None:
        word = [*option.words][-1]
        return word, word
    if option.read is values.game_name:
        return "botwars", "botwars"
    if option.read is values.deal_seeds:
        (folder / "seeds").write_text("5\n6\n")
        return str(folder / "seeds"), DealSeedsInFile(str(folder / "seeds"), (5, 6))
    if option.metavar == "HOST:PORT":
        return ":80", Address("127.0.0.1", 80)
    return ("x", "x") if option.read is None else SAMPLES[option.read]


def fits(value: object, annotation: Any) -> bool:
    """Return True if a value, or one item of a repeated option, has the annotated type."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return fits(value, parts[0])
    if origin is Literal:
        return value in parts
    if origin is tuple and parts[1:] == (...,):
        return fits(value, parts[0])
    if origin is tuple:
        return isinstance(value, tuple) and all(map(fits, value, parts))
    if parts:  # T | None
        return any(fits(value, part) for part in parts)
    return isinstance(value, annotation)


@pytest.mark.parametrize(
    ("read", "right", "wrong"),
    [
        (values.count, ["1", "1000000000"], ["0", "1000000001", "+1", "1_0", " 1", "1.0"]),
        (values.count_or_never, ["never", "1"], ["0", "Never"]),
        (values.seed, ["0", str(2**53 - 1)], ["-1", str(2**53)]),
        (values.number, ["1000000", "-1e6"], ["1000000.1", "-1000001", "1e308"]),
        (values.seconds, ["0.001", "1e6", ".5"], ["0", "1000000.1", "-1", "none"]),
        (values.grace, ["0", "1e6"], ["1000000.1", "-1"]),
        (values.limit, ["0.001", "none"], ["0", "never"]),
        (values.probability, ["0.001", "0.499"], ["0", "0.5"]),
        (serving._address, [":65535", "[::1]:0"], ["", ":65536"]),
        (values.turns, ["1", "10-10", "9-10"], ["0", "10-9", "1-", "-1"]),
        (values.player, ["1", "player1"], ["0", "player0", "player", "seat1"]),
        (values.variable, ["A=", "A=b=c", "PATH"], ["=b", "", "NO_SUCH_VARIABLE", "A=\0"]),
    ],
)
def test_the_bounds_of_values(
    read: Callable[[str], object], right: list[str], wrong: list[str]
) -> None:
    for text in right:
        read(text)
    for text in wrong:
        with pytest.raises(argparse.ArgumentTypeError):
            read(text)


def test_what_values_are_read_as() -> None:
    assert (values.turns("7"), values.variable("A=")) == ((7, 7), ("A", ""))


def test_files_with_seeds_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "seeds"
    file.write_bytes(b"\xef\xbb\xbf7\n")
    assert values.seed_in_file(str(file)).seed == 7
    assert values.deal_seeds(str(file)).seeds == (7,)
    file.write_text("7\n# more\n7\n")
    with pytest.raises(argparse.ArgumentTypeError, match="line 3: the seed 7 is in line 1 too"):
        values.deal_seeds(str(file))


def test_the_help_of_every_command_needs_no_package() -> None:
    """The build makes manual pages and completion of it, and has none of our dependencies."""
    program = (
        "import sys\n"
        "packages = ('anyio', 'h11', 'hypercorn', 'jinja2', 'msgspec', 'numpy', 'rich')\n"
        "sys.modules.update(dict.fromkeys((*packages, 'starlette', 'trio')))\n"
        "from referee.cli.registry import COMMANDS, options_type\n"
        "for name in COMMANDS: options_type(name)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0

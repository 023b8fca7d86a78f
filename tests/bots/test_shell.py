"""Finding words in a command that only a shell would interpret, unless they are quoted."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.bots.command import find_bot, resolve_bot
from referee.bots.folder import read_folder
from referee.bots.shell import why_shell, why_shell_program
from referee.conformance.referee_side.template import Template
from referee.errors import UsageError


@pytest.mark.parametrize(
    ("command", "operator"),
    [
        ("./a.py > log", ">"),
        ("./a.py >log", ">log"),
        ("./a.py 2>&1", "2>&1"),
        ("./a.py &>log", "&>log"),
        ("./a.py < in", "<"),
        ("cd x && ./a.py", "&&"),
        ("cd x; ./a.py", ";"),
        ("./a.py | tee log", "|"),
        ("./a.py || true", "||"),
        ("./a.py &", "&"),
        ("./a.py&", "&"),
        ("'my bot.py' x\\ y > log", ">"),
    ],
)
def test_an_operator_is_named(command: str, operator: str) -> None:
    said = why_shell(command)
    assert said.startswith(f"no shell runs the command, so {operator} does nothing: put the ")
    assert said.endswith(f"or quote {operator} if it is an argument")
    with pytest.raises(UsageError, match="no shell runs the command"):
        find_bot(command, "dominion")
    with pytest.raises(UsageError, match=r"COMMAND .* no shell runs the command"):
        Template(f"{command} {{players}}", 4)


@pytest.mark.parametrize(
    "command",
    [
        'sh -c "a && b > c"',
        "sh -c 'a; b'",
        "./a.py '>' \">\" \\> \\; '2>&1'",
        "./a.py --url=http://localhost/?a=1&b=2",
        "./a.py x>3 --depth=3 A=1 [a-z] $HOME ~",
        "",
    ],
)
def test_an_argument_is_not_an_operator(command: str) -> None:
    assert why_shell(command) == ""


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("FOO=1 ./a.py", 'FOO=1 sets no variable: write "env FOO=1 ./a.py", or use --env'),
        ("$HOME/a.py", r"nothing expands \$HOME/a.py: give the whole path"),
        ("~/a.py x", "nothing expands ~/a.py: give the whole path"),
        ("./a.py>log", "so > does nothing"),
        ("(./a.py)", r"so \( does nothing"),
        ("FOO=1", "not found: no bundled bot"),
    ],
)
def test_a_program_that_only_a_shell_finds(command: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        resolve_bot(command)


def test_a_path_may_have_any_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "A=1 & b>c.py"
    program.touch()
    monkeypatch.chdir(tmp_path)
    assert resolve_bot(program.name).argv[-1] == program.name
    assert resolve_bot("'A=1 & b>c.py' x").argv[-2:] == (program.name, "x")
    assert why_shell_program("./a.py x") == ""


@pytest.mark.parametrize("command", ["python3 a.py > log", "A=1 ./a.py", "$HOME/a.py"])
def test_the_command_of_a_folder(tmp_path: Path, command: str) -> None:
    """The mistake is reported even before the folder is built."""
    (tmp_path / "bot.toml").write_text(f"command = '{command}'\nbuild = 'make > log'\n")
    (problem,) = read_folder(str(tmp_path)).problems
    assert problem.startswith(f"{tmp_path}/bot.toml: command: no shell runs the command, so ")
    (tmp_path / "bot.toml").write_text("command = 'A=1 x'\n")
    (tmp_path / "A=1").touch()
    assert read_folder(str(tmp_path)).problems == ()

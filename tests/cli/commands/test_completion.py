"""Shell completion in real shells, and the manual pages."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import shtab

from referee.cli.commands.completion import SHELLS, script
from referee.cli.commands.manual import pages
from referee.cli.registry import COMMANDS, parser
from tests.support.live import one_line, referee

TYPED = {
    "pl": "play",
    "play big": "play big_money",
    "play --rec": "play --record",
    "play --seed 3 big_money smithy_": "play --seed 3 big_money smithy_big_money",
    "play --game bo": "play --game botwars",
    "play --game botwars gath": "play --game botwars gatherer",
    "play my": "play my_bot.py",
    "play big_money minimal mili": "play big_money minimal militia_money",
    "play minimal --stderr fol": "play minimal --stderr folder",
    "conform mini": "conform minimal",
    "conform minimal --format ju": "conform minimal --format junit",
    "build fol": "build folder",
    "doctor --f": "doctor --format",
    "tournament minimal smithy_": "tournament minimal smithy_big_money",
    "tournament --store ni": "tournament --store night.sqlite",
    "standings ni": "standings night.sqlite",
    "replay ga": "replay game.jsonl",
    "verify --jo": "verify --jobs",
    "verify my_bot.py ga": "verify my_bot.py game.jsonl",
    "validate -q ga": "validate -q game.jsonl",
    "bots --show big_money.r": "bots --show big_money.rs",
    "bots --show form": "bots --show formation",
    "help to": "help tournament",
    "completion z": "completion zsh",
}
"""Maps the text before TAB to the text after it."""

OF_ITS_GAME = {
    "play gath": "play gath",
    "play --game=botwars gath": "play --game=botwars gatherer",
    "play --game tribute mini": "play --game tribute mini",
}
"""Only bash leaves out the bots of other games."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file of each kind that the commands can complete."""
    (tmp_path / "folder").mkdir()
    for name in ("my_bot.py", "game.jsonl", "night.sqlite"):
        (tmp_path / name).touch()
    return tmp_path


class Terminal:
    """A shell running in a pseudo-terminal."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", PS1="", HOME=str(folder), COLUMNS="200")
            os.execvp(words[0], words)

    def send(self, text: str, until: str) -> str:
        """Type `text` and return the output up to and including `until`."""
        os.write(self._fd, text.encode())
        written = ""
        while until not in written:
            ready, _, _ = select.select([self._fd], [], [], 60)
            assert ready, f"no {until} in {written}"
            written += os.read(self._fd, 65536).decode()
        return written

    def close(self) -> None:
        os.write(self._fd, b"\nexit\n")
        os.waitpid(self._pid, 0)
        os.close(self._fd)


def at_a_terminal(
    words: list[str], set_up: str, folder: Path, lines: Iterable[str]
) -> Iterator[str]:
    """Type each line followed by TAB and yield the arguments that `referee` would have received."""
    terminal = Terminal(words, folder)
    # The shell echoes this line, so `ready` is split in two. Otherwise we'd find it in the echo.
    show = "referee() { printf '<%s<%s>%s>\\n' '' \"$*\" ''; }"
    terminal.send(f"{set_up}; {show}; PS1=; echo rea''dy\n", "ready")
    for line in lines:
        written = terminal.send(f"referee {line}\t\n", ">>")
        yield written[written.rindex("<<") + 2 : written.rindex(">>")].rstrip("/")
    terminal.close()


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_at_a_terminal(shell: str, folder: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} on this machine")
    file = folder / "script"
    file.write_text(script(shell))
    evaluate = f'eval "$(cat {file})"; rm {file}'
    words, set_up = {
        "bash": (["bash", "--norc", "--noprofile"], "bind 'set enable-bracketed-paste off'"),
        "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit && compinit -u -D"),
    }[shell]
    typed = TYPED | (OF_ITS_GAME if shell == "bash" else {})
    completed = at_a_terminal(words, f"{set_up}; {evaluate}", folder, typed)
    assert dict(zip(typed, completed, strict=True)) == typed


def test_completion_in_fish(folder: Path) -> None:
    if not shutil.which("fish"):
        pytest.skip("no fish on this machine")
    file = folder.parent / "script.fish"
    file.write_text(script("fish"))
    for line, completed in TYPED.items():
        asked = subprocess.run(
            ["fish", "--no-config", "-c", f"source {file}; complete -C 'referee {line}'"],
            cwd=folder,
            env=os.environ | {"HOME": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        found = [found.split("\t")[0].rstrip("/") for found in asked.stdout.splitlines()]
        assert min(found) == completed.split()[-1]


def test_zsh_completes_each_of_several_arguments() -> None:
    text = script("zsh")
    assert '"*:' in text
    assert '"(*)' not in text  # only the first would be completed


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(shell: str) -> None:
    done = referee("completion", shell)
    assert (done.returncode, done.stdout) == (0, script(shell) + "\n")
    for command in COMMANDS:
        assert command in done.stdout


@pytest.mark.slow
def test_the_build_of_a_wheel_makes_them_with_shtab_alone(tmp_path: Path) -> None:
    """When pip builds the wheel, only `build-system.requires` is installed."""
    assert shtab.__file__
    (tmp_path / "shtab").symlink_to(Path(shtab.__file__).parent)
    program = (
        "from referee.cli.commands.completion import script\n"
        "from referee.cli.commands.manual import pages\n"
        "script('bash'), pages()"
    )
    command = [sys.executable, "-S", "-c", program]  # -S: no site-packages
    path = os.pathsep.join([str(Path(__file__).parents[3]), str(tmp_path)])
    subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, check=True)


def test_no_such_shell() -> None:
    done = referee("completion", "csh")
    assert done.returncode == 2
    assert "bash" in one_line(done.stderr)


# --- manual pages ---------------------------------------------------------------------------------


def test_a_page_for_every_command_has_every_option_and_example() -> None:
    found = pages()
    parsers = parser().commands.choices
    assert found.keys() == {"referee.1", *(f"referee-{name}.1" for name in COMMANDS)}
    for name, each in parsers.items():
        page = found[f"referee-{name}.1"].replace(r"\-", "-")
        for action in each._actions:
            if action.help == "==SUPPRESS==":
                continue
            for option in action.option_strings:
                assert rf"\fB{option}\fR" in page
        for example, _ in each.examples:
            assert rf"\fB{example}\fR" in page


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("groff"), reason="no groff on this machine")
@pytest.mark.parametrize("name", pages())
def test_groff_has_nothing_to_complain_of(name: str) -> None:
    command = ["groff", "-man", "-ww", "-Tascii"]
    done = subprocess.run(command, input=pages()[name], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    text = re.sub(".\b", "", done.stdout)  # bold letters are overstruck
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"):
        assert f"\n{title}\n" in text

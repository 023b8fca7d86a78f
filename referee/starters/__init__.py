"""Folders to start a bot of one's own from, as `referee new` makes them (for a game: `new_game`).

A game's `Starters` have a README.md and a bot in each language. Here we have everything that's the
same for all games: the languages, and the test that each folder gets. If there's a folder
"python-kit", its bot is made with the kit `referee.bot`. All of these files are templates:
"my_bot", "My Bot" and "MyBot", in the text and in file names, become the new bot's name, and words
such as {bot} are replaced as `_blanks` says.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.bots.folder import BOT_FILE
from referee.errors import UsageError
from referee.text.nearest import nearest
from referee.text.terminal import command_line

if TYPE_CHECKING:
    from referee.games.interface.definition import GameDefinition


class Language(Struct, frozen=True):
    """How a bot called my_bot is built, run and tested in a language: one entry of languages.json.

    (Java's command turns off performance data. With them, a JVM has a file in /tmp/hsperfdata_*,
    and if another JVM looks at that file, it prints a warning to standard output.)

    Attributes:
        bot: the BOT argument.
        build: the command that builds it; empty: nothing has to be built.
        needs: the program that builds or runs it; empty: the Python of the referee.
        package: the package of Debian and Ubuntu that has this program.
        version: the option that prints the version of this program.
        test: the command that runs the test. Its last word is the test's file.
    """

    title: str
    source: str
    bot: str
    build: str = ""
    needs: str = ""
    package: str = ""
    version: str = "--version"
    test: str = "sh test.sh"


_HERE = Path(__file__).parent
LANGUAGES = msgspec.json.decode((_HERE / "languages.json").read_bytes(), type=dict[str, Language])
"""The languages by the name of their folder."""
_KIT = " The referee's spec/python-bots.md has all that `referee.bot` can do."
_NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,39}")
SHADOWED = sys.stdlib_module_names | {"referee"}
"""Names that no module beside a bot in Python may have."""


class GeneratedBot(NamedTuple):
    """The new folder of a bot: its source, and the next three commands for a shell."""

    source: str
    commands: tuple[str, str, str]


def languages_of(definition: GameDefinition) -> dict[str, Language]:
    """Return the languages of a game by the name of their folder.

    An adapter of the game counts as a language, too.
    """
    python = LANGUAGES["python"]
    return LANGUAGES | {
        name: replace(python, bot=f"{name}:{python.bot}") for name in definition.adapters
    }


def find_language(text: str, definition: GameDefinition) -> str:
    """Return the key in `languages_of` of a language, which users may call C++, cpp or CPP.

    Raises:
        UsageError: the name is unknown. The text names the closest one.
    """
    names: dict[str, str] = {}
    languages = languages_of(definition)
    for key, language in reversed(languages.items()):
        names |= dict.fromkeys((key, language.title.lower(), language.source.split(".")[1]), key)
    if text.lower() in names:
        return names[text.lower()]
    close = nearest(text.lower(), names)
    hint = f"did you mean {close}? There" if close else "there"
    raise UsageError(f"no language {text!r}; {hint} are {', '.join(languages)}")


def make_bot(
    folder: Path,
    definition: GameDefinition,
    language: str,
    option: str = "",
    *,
    plain: bool = False,
) -> GeneratedBot:
    """Make a folder with a bot to start from, its README and its test.

    Args:
        folder: the folder to create. Its name becomes the name of the bot.
        language: a key of `languages_of`.
        option: the words that choose the game in a command, if it needs them: "--game botwars".
        plain: don't use a kit, even if there is one.

    Raises:
        UsageError: the name isn't valid, the folder exists or can't be created, or the game has no
            starter in that language.
    """
    starters = definition.starters
    languages = languages_of(definition)
    chosen = languages[language]
    if starters is None:
        raise UsageError(f"{definition.name} has no bot to start from yet")
    there = [name for name in languages if (starters.folder / name).is_dir()]
    if language not in there:
        problem = f"{definition.name} has no bot to start from in {chosen.title} yet"
        raise UsageError(f"{problem}; there are {', '.join(there)}")
    _check_name(folder.name, chosen)
    source = kit = starters.folder / f"{language}-kit"
    if plain or not kit.is_dir():
        source = starters.folder / language
    blanks = _blanks(folder.name, definition.name, chosen, option)
    blanks["{kit}"] = _KIT if source == kit else ""
    test = _HERE / chosen.test.split()[-1]
    files = {
        _fill(file.name, blanks): _fill(file.read_text(encoding="utf-8"), blanks)
        for file in (source / chosen.source, starters.folder / "README.md", test)
    }
    files[BOT_FILE] = _bot_file(folder.name, chosen, blanks)
    write_folder(folder, files)
    play = f"referee play {'{option} ' if option else ''}{{bot}} {starters.first_match}"
    steps = (command_line(["cd", str(folder)]), _fill(chosen.test, blanks), _fill(play, blanks))
    return GeneratedBot(_fill(chosen.source, blanks), steps)


def _bot_file(name: str, language: Language, blanks: dict[str, str]) -> str:
    """Return the `bot.toml`, by which an organiser can play the bot (spec/organisers.md, 2)."""
    keys = {
        "name": name,
        "language": language.title,
        "build": _fill(language.build, blanks),
        "command": _fill(language.bot, blanks),
    }
    # A JSON string is a valid TOML string, so we don't need a library to write this.
    return "".join(f"{key} = {json.dumps(text)}\n" for key, text in keys.items() if text)


def _check_name(name: str, language: Language) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"a bot cannot be called {name!r}: give letters, digits and _, a letter first, at most "
            "40, such as my_bot"
        )
    if language.source.endswith(".py") and name in SHADOWED:
        problem = f"a bot in Python cannot be called {name!r}, as a module is"
        raise UsageError(f"{problem}: {name}_bot would do")


def _blanks(name: str, game: str, language: Language, option: str) -> dict[str, str]:
    # They're replaced one after another, so the order matters.
    if language.test.endswith(".py"):  # a test in Python has the command in a string
        conform = option.replace("\\", r"\\").replace('"', r"\"")
    else:
        conform = option
    words = [word[0].upper() + word[1:] for word in name.split("_") if word]
    class_name = "".join(words)
    if not class_name.lower().endswith("bot"):
        class_name += "Bot"  # so that it can't be a class of the language
    return {
        "{build}": language.build,
        "{bot}": shlex.quote(language.bot),
        "{test}": language.test,
        "{source}": language.source,
        "my_bot": name,
        "My Bot": " ".join(words),
        "MyBot": class_name,
        # These come last, because their values may contain one of the names above.
        "{game}": game,
        "{option}": option,
        "{game_file}": option.removeprefix("--game "),
        "{conform}": f"conform {conform}".strip(),
    }


def _fill(template: str, blanks: dict[str, str]) -> str:
    # A line that tells people how to build has to go if there's nothing to build.
    if not blanks["{build}"]:
        template = re.sub(".*{build}.*\n", "", template)
    for blank, text in blanks.items():
        template = template.replace(blank, text)
    return template


def write_folder(folder: Path, files: dict[str, str]) -> None:
    """Write a new folder with these files, or nothing at all. Scripts (#!) become executable."""
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(f"{folder} is there already: choose another name") from None
    except FileNotFoundError:
        problem = f"the folder does not exist: {folder.parent}"
        raise UsageError(f"cannot make {folder}: {problem}") from None
    except OSError as error:
        raise UsageError(f"cannot make {folder}: {error.strerror}") from error
    try:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
            if text.startswith("#!"):
                (folder / name).chmod(0o755)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(f"cannot write {folder}: {error.strerror}") from error

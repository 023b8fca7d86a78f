"""Makes a folder with a simple bot, for authors to start from (`referee new`).

The folder gets a bot, a README.md, a bot.toml and a test. The bot and the README.md come from the
game's `Starters`, which have a bot for each language. The folder "python-kit" has a bot that uses
`referee.bot`, and is preferred to "python". The languages and the tests are the same for all games,
and are in this package.

The files are templates: we replace "my_bot", "My Bot" and "MyBot" by the name of the new bot, and
words such as {bot} by the values from `_blanks`. new_game.py does the same for games.
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
    """Says how to build, run and test a bot called my_bot. We read this from languages.json.

    Attributes:
        title: the name of the language, for people.
        source: the source file of the bot.
        bot: the BOT argument.
        build: the command that builds the bot, or "" if you don't have to build it.
        needs: the program that builds or runs the bot, or "" if it's the referee's own Python.
        package: the package of Debian and Ubuntu that contains this program.
        version: the option that makes this program print its version.
        test: the command that runs the test. Its last word is the file of the test.
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
"""The languages. The keys are the names of their folders."""
_KIT = " The referee's spec/python-bots.md has all that `referee.bot` can do."
_NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,39}")
SHADOWED = sys.stdlib_module_names | {"referee"}
"""Names of modules that a Python file with the same name would hide from the bot."""


class GeneratedBot(NamedTuple):
    """The source file of the new bot, and three commands for the author to run next."""

    source: str
    commands: tuple[str, str, str]


def languages_of(definition: GameDefinition) -> dict[str, Language]:
    """Return the languages for a game, by the names of their folders.

    This includes the game's adapters, which are libraries for bots in Python.
    """
    python = LANGUAGES["python"]
    return LANGUAGES | {
        name: replace(python, bot=f"{name}:{python.bot}") for name in definition.adapters
    }


def find_language(text: str, definition: GameDefinition) -> str:
    """Return the key of a language in `languages_of`. For C++, you can also pass cpp or CPP.

    Raises:
        UsageError: there's no such language. The message suggests a similar one.
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
    """Create a folder with a simple bot, a README and a test.

    Args:
        folder: the folder to create. Its name becomes the name of the bot.
        language: a key of `languages_of`.
        option: the option that chooses the game, such as "--game botwars", or "" for the default
            game.
        plain: if True, don't use the kit `referee.bot`.

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
    """Return the content of `bot.toml` (spec/organisers.md, 2)."""
    keys = {
        "name": name,
        "language": language.title,
        "build": _fill(language.build, blanks),
        "command": _fill(language.bot, blanks),
    }
    # The standard library can't write TOML, but a JSON string is also a valid TOML string.
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
    # _fill() replaces these one after the other, so the order matters.
    if language.test.endswith(".py"):  # the command is in a string literal there, so escape it
        conform = option.replace("\\", r"\\").replace('"', r"\"")
    else:
        conform = option
    words = [word[0].upper() + word[1:] for word in name.split("_") if word]
    class_name = "".join(words)
    if not class_name.lower().endswith("bot"):
        class_name += "Bot"  # String or Object could hide a class of the language
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
    # If there's nothing to build, remove the lines that explain how to build.
    if not blanks["{build}"]:
        template = re.sub(".*{build}.*\n", "", template)
    for blank, text in blanks.items():
        template = template.replace(blank, text)
    return template


def write_folder(folder: Path, files: dict[str, str]) -> None:
    """Create a folder with these files. If that fails, remove the folder again.

    Scripts, which start with #!, become executable.

    Raises:
        UsageError: the folder exists, or we can't write there.
    """
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

"""Finds the bot that a BOT argument names.

A BOT argument is the first of these that fits:

- an `http://` or `https://` address
- the name of a bot that is bundled for the game
- a folder with a `bot.toml` (`folder.py`)
- a rule file, or the name of a bundled one
- the path of a program
- a dialect of the game, a colon, and an address, a program or a command line
- an adapter of the game, a colon, and the adapter's argument (`GameDefinition.adapters`)
- a command line in one argument

We split a command line into words like a shell would, but we never pass it to a shell. Its first
word is a bundled bot, the path of a program, or a program on the PATH.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from referee.bots.bundled import bots_of_own_games, bundled_bots, rule_files, templates
from referee.bots.folder import (
    BOT_FILE,
    BotFolder,
    is_bot_folder,
    is_built,
    leaves_folder,
    read_folder,
)
from referee.bots.shell import why_shell, why_shell_program
from referee.errors import BotNotFoundError, NotBuiltError, UsageError, UsageErrors
from referee.games import DEFAULT_GAME, GAMES
from referee.inputs import read_input
from referee.text.nearest import did_you_mean, nearest
from referee.text.terminal import as_text

if TYPE_CHECKING:
    from referee.bots.bot import Bot
    from referee.bots.in_process import InProcessBot
    from referee.rulefiles.bot import RuleFile

_INTERPRETERS = {
    ".js": "node",
    ".mjs": "node",
    ".pl": "perl",
    ".rb": "ruby",
    ".lua": "lua",
    ".java": "java",
    ".jar": "java -jar",
    ".sh": "sh",
}
HUMAN = "human"
"""The BOT argument for a person. Only `referee play` supports it."""
# Matches the names of interpreters, with or without a version (python3.12).
is_interpreter = re.compile(
    r"(python|pypy)[\d.]*|node|deno|bun|java|perl|ruby|lua|php|sh|bash"
).fullmatch
# Most command lines begin with these words, so we suggest them if somebody makes a typo.
_PROGRAMS = (
    *("python3", "python", "pypy3", "node", "deno", "bun", "java", "perl", "ruby", "lua", "php"),
    *("bash", "sh", "dotnet", "mono", "env"),
)
_DIALECT = re.compile(r"[a-z][a-z0-9-]*").fullmatch
_COMPILED = {".c", ".cc", ".cpp", ".go", ".rs", ".hs", ".kt", ".swift", ".zig"}


class BotCommand(NamedTuple):
    r"""The command line that starts a bot.

    Attributes:
        argument: the BOT argument as given, except that bytes that aren't UTF-8 become `\xHH`.
        argv: the command line. The first word is a path.
        dialect: the dialect that the bot speaks, or "" if it uses canonical messages.
        directory: the working directory. If it's empty, `start_place` chooses one.
        env: additional environment variables, as pairs of name and value.
        adapter: the adapter that runs the bot (`GameDefinition.adapters`), or "". Adapters find the
            time limit in an environment variable.
    """

    argument: str
    argv: tuple[str, ...]
    dialect: str = ""
    directory: str = ""
    env: tuple[tuple[str, str], ...] = ()
    adapter: str = ""


class BotAddress(NamedTuple):
    """A bot that is a web server. We send all its messages to `url` with POST."""

    argument: str
    url: str
    dialect: str = ""


class PythonBot(NamedTuple):
    """A bot that is a Python object.

    Attributes:
        argument: name of the bot.
        new: creates the bot for a match.
        is_file: True for a rule file. Unlike other Python objects, such a bot can be created in any
            process, e.g. in a worker.
    """

    argument: str
    new: Callable[[], Bot]
    dialect: str = ""
    is_file: bool = False


T = TypeVar("T")
U = TypeVar("U")
BotSource: TypeAlias = BotCommand | BotAddress | PythonBot


def are_objects(sources: Iterable[BotSource]) -> bool:
    """Return True if all bots are Python objects. A match between them needs no event loop."""
    return all(isinstance(source, PythonBot) and not source.dialect for source in sources)


def new_objects(sources: Iterable[BotSource]) -> list[InProcessBot]:
    """Create the bots of a match. All sources must be Python objects (see `are_objects`)."""
    from referee.bots.in_process import InProcessBot

    bots = [source.new() for source in sources if isinstance(source, PythonBot)]
    objects = [bot for bot in bots if isinstance(bot, InProcessBot)]
    # A `PythonBot` may also be a person. But people only play in `referee play` and `serve`, which
    # don't call this function.
    assert len(objects) == len(bots)
    return objects


def find_bot(
    argument: str, game: str, directory: str = "", env: tuple[tuple[str, str], ...] = ()
) -> BotSource:
    """Find the bot that a BOT argument names.

    Args:
        game: a key of `GAMES`.
        directory: the working directory of the bot. Paths in the argument are relative to it. By
            default, they're relative to the current directory, and `start_place` chooses the
            working directory.

    Raises:
        BotNotFoundError: we can't run anything by this name. The message tells the user what to do.
    """
    source: BotSource
    if (folder := bot_folder(argument, game, directory)) is not None:
        source = bot_in(folder, game)._replace(argument=as_text(argument))
    else:
        source = find_single(argument, game, directory)
    return source._replace(env=env) if isinstance(source, BotCommand) else source


def find_single(argument: str, game: str, directory: str) -> BotSource:
    """Find the bot that a BOT argument names, as in `find_bot`, but don't accept a folder."""
    if _is_url(argument):
        return BotAddress(as_text(argument), _checked(argument))
    if (file := find_bot_file(argument, game, directory)) is not None:
        return file
    dialect, colon, rest = argument.partition(":")
    is_dialect = colon and _DIALECT(dialect) and not _is_file(argument, directory)
    definition = GAMES.get(game) if is_dialect else None
    if definition is not None and dialect in definition.adapters:
        _check_inside(rest.partition(":")[0], directory)
        argv = tuple(definition.adapters[dialect].command(rest, directory))
        place = directory or os.path.dirname(os.path.abspath(rest.partition(":")[0]))
        return BotCommand(as_text(argument), argv, directory=place, adapter=dialect)
    kind = definition.dialects.get(dialect) if definition is not None else None
    if kind is None:
        return resolve_bot(argument, directory, game)
    if _is_url(rest):
        if not kind.over_http:
            raise BotNotFoundError(
                f"BOT {argument}: {dialect} is only for programs: it sends several lines at a time"
            )
        return BotAddress(as_text(argument), _checked(rest), dialect)
    if kind.form_field:
        raise BotNotFoundError(f"BOT {argument}: {dialect} is only for http:// and https://")
    found = resolve_bot(rest, directory, game)
    return found._replace(argument=as_text(argument), dialect=dialect)


def bot_folder(argument: str, game: str, directory: str = "") -> BotFolder | None:
    """Return the folder that a BOT argument names, or None if it names something else.

    A bundled bot's name wins over a folder of the same name. Otherwise a folder called `random`
    would change what `referee play random` does.
    """
    path = os.path.join(directory, argument)
    if not is_bot_folder(path) or argument in (HUMAN, *bundled_bots(game), *rule_files(game)):
        return None
    return read_folder(path)


def bot_in(folder: BotFolder, game: str) -> BotCommand | PythonBot:
    """Return the bot in a submitted folder.

    Raises:
        UsageErrors: there are mistakes in the folder. The error lists all of them.
        NotBuiltError: the bot has to be built first.
    """
    problems = list(folder.problems)
    if folder.command and is_built(folder):
        try:
            source = find_single(folder.command, game, folder.directory)
        except UsageError as error:
            text = str(error).replace(f"{folder.directory}/", "")
            problems.append(f"{folder.file}: command: {text}")
        else:
            if GAMES[game].tells_hidden(source.dialect):
                problems.append(
                    f"{folder.file}: command: {source.dialect} shows hidden information, which "
                    "nobody may choose for a bot of their own: give the command as BOT"
                )
    elif not problems:
        raise NotBuiltError([folder.path])
    if problems:
        raise UsageErrors(problems)
    assert not isinstance(source, BotAddress)
    return source


def find_all(find: Callable[[T], U], arguments: Iterable[T]) -> list[U]:
    """Call `find` with each BOT argument. All mistakes are raised together, as one `UsageError`.

    If four of ten bots are misspelled, nobody wants to learn about them one run at a time.
    """
    found, mistakes = find_each(find, arguments)
    if mistakes:
        raise together(mistakes)
    return found


def find_each(find: Callable[[T], U], arguments: Iterable[T]) -> tuple[list[U], list[UsageError]]:
    """Like `find_all`, but return the results and the errors instead of raising."""
    found: list[U] = []
    mistakes: list[UsageError] = []
    for argument in arguments:
        try:
            found.append(find(argument))
        except UsageError as error:
            mistakes.append(error)
    return found, mistakes


def together(errors: Iterable[UsageError]) -> UsageError:
    """Merge errors into one. If several folders aren't built yet, they share a single line."""
    errors = list(errors)
    unbuilt = [error for error in errors if isinstance(error, NotBuiltError)]
    if unbuilt:
        folders = [folder for error in unbuilt for folder in error.folders]
        errors = [error for error in errors if error not in unbuilt]
        errors.append(NotBuiltError(folders))
    if len(errors) == 1:
        return errors[0]
    return UsageErrors([line for error in errors for line in error.lines])


def find_bot_file(argument: str, game: str, directory: str = "") -> PythonBot | None:
    """Return the bot for a rule file, or None if the argument is something else.

    We read the file now, because the process that plays the bot may not be able to access it.
    """
    path = _file(argument, directory, [game])
    if path is None:
        return None  # most arguments aren't rule files, and importing the game is slow
    definition = GAMES.get(game)
    if definition is None or definition.vocabulary is None:
        return None
    from referee.rulefiles.bot import read_rule_file

    file = read_rule_file(path, game)
    return PythonBot(as_text(argument), partial(_of_rule_file, file), is_file=True)


def _check_inside(word: str, directory: str) -> None:
    # A submitted folder mustn't use files outside of it. The program itself is exempt, because
    # `bin/python` in a virtual environment is always a link to the outside.
    if is_bot_folder(directory) and leaves_folder(word, directory):
        raise BotNotFoundError(
            f"BOT {word} is outside the folder, by a link or by ..: copy the file into the folder"
        )


def _file(argument: str, directory: str, games: Iterable[str]) -> Path | None:
    path = Path(directory, argument)
    if path.suffix != ".json":
        return None
    bundled = next(filter(None, (rule_files(game).get(argument) for game in games)), None)
    path = path if bundled is None or os.path.isfile(path) else bundled
    if not os.path.isfile(path) or (bundled is None and os.access(path, os.X_OK)):
        return None  # an executable file is a program, even if its name ends in .json
    # bundled files are outside of the bot's folder, so we only check other files
    if path == Path(directory, argument):
        _check_inside(argument, directory)
    return path


def game_of_bots(bots: Iterable[tuple[str, str]]) -> str:
    """Guess the game from the bots, if the user didn't choose one.

    If one of the bots can only play one game, that's the game. Otherwise we play the default game.

    Args:
        bots: the BOT argument and the directory of each bot.

    Raises:
        UsageError: the bots belong to different games, or a rule file doesn't fit any game.
    """
    from referee.bots.only_game import only_game

    # Maps a game to the first bot that can only play this game.
    found: dict[str, str] = {}
    for argument, directory in bots:
        folder = bot_folder(argument, DEFAULT_GAME, directory)
        if folder is not None:
            argument, directory = folder.command, folder.directory
        path = None
        with suppress(UsageError):  # find_bot() will report these errors in more detail
            if folder is None or is_built(folder):
                path = _file(argument, directory, GAMES)
                if path is None:
                    _check_inside(argument, directory)
                    if (game := only_game(argument, directory)) is not None:
                        found.setdefault(game, argument)
        if path is not None and os.access(path, os.R_OK):
            from referee.rulefiles.bot import game_of
            from referee.rulefiles.source import MAX_BYTES

            game = game_of(read_input(str(path), MAX_BYTES + 1), argument)
            if game is not None:
                found.setdefault(game, argument)
    if len(found) > 1:
        bots_of = " and ".join(f"{as_text(bot)} is for {game}" for game, bot in found.items())
        raise UsageError(f"{bots_of}: bots of one game can play each other")
    return next(iter(found), DEFAULT_GAME)


def _of_rule_file(file: RuleFile) -> Bot:
    from referee.bots.in_process import InProcessBot

    return InProcessBot(file.new(), os.path.basename(file.path))


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _checked(url: str) -> str:
    from referee.bots.address import parse_address  # idna is slow to import, and few bots need it

    parse_address(url)
    return url


def _is_file(argument: str, directory: str) -> bool:
    try:
        words = shlex.split(argument)
    except ValueError:
        words = []
    return any(Path(directory, path).exists() for path in [argument, *words[:1]])


def resolve_bot(argument: str, directory: str = "", game: str = DEFAULT_GAME) -> BotCommand:
    """Find the program that a BOT argument names, and return the command line that starts it.

    Unlike `find_bot`, this doesn't accept folders, rule files, addresses, dialects or adapters.

    Raises:
        BotNotFoundError: we can't run anything by this name. The message tells the user what to do.
    """
    if "\0" in argument:
        raise BotNotFoundError(
            f"BOT {argument!r} has a NUL, which no command may have: leave it out"
        )
    if not argument.strip():
        raise BotNotFoundError("BOT is empty: give a bundled bot's name, a program or a command")
    if _is_url(argument):
        raise BotNotFoundError(f"BOT {argument!r} is an address, and this needs a program")
    if argument == HUMAN:
        raise BotNotFoundError(
            f"BOT {HUMAN} is a person at the terminal: use `referee play {HUMAN} BOT`"
        )
    found = _resolve_word(argument, directory, game) or _split(argument, directory, game)
    return BotCommand(as_text(argument), found, directory=directory)


def _split(argument: str, directory: str, game: str) -> tuple[str, ...]:
    try:
        first, *rest = shlex.split(argument)
    except ValueError as error:
        raise BotNotFoundError(f"BOT {argument!r}: {str(error).lower()}") from error
    if problem := why_shell(argument):
        raise BotNotFoundError(f"BOT {argument!r}: {problem}")
    if path := _unquoted_path([first, *rest], directory):
        raise BotNotFoundError(
            f"BOT {argument!r}: the path {path} has a space: put '...' around it inside the command"
        )
    found = _resolve_word(first, directory, game) if first else None
    if found is None and not rest and is_interpreter(first):
        suffixes = (ending for ending, known in _INTERPRETERS.items() if known == first)
        raise BotNotFoundError(
            f"BOT {first} is an interpreter without a program: put the whole command in quotes,"
            f' such as "{first} my_bot{next(suffixes, ".py")}"'
        )
    if found is None:
        found = (_on_path(first, argument, directory, game),)
    for word in rest:
        if ".." in Path(word).parts and os.path.exists(os.path.join(directory, word)):
            _check_inside(word, directory)
    return (*found, *rest)


def _on_path(program: str, argument: str, directory: str, game: str) -> str:
    path = shutil.which(program) if program else None
    if path is not None:
        return os.path.abspath(path)
    if problem := why_shell_program(argument):
        raise BotNotFoundError(f"BOT {argument!r}: {problem}")
    raise BotNotFoundError(_not_found(argument, program, game, directory))


def _resolve_word(word: str, directory: str, game: str) -> tuple[str, ...] | None:
    bundled = bundled_bots(game).get(word)
    if bundled is not None:
        # -I and -S make Python start faster, and keep modules and variables of the user's
        # environment away. Bundled bots only need the standard library, and should play the same
        # everywhere.
        return (sys.executable, "-I", "-S", str(bundled))
    path = Path(directory, word)
    try:
        if not path.exists():
            return None
    except OSError:  # e.g. ENAMETOOLONG for a long command line
        return None
    if path.is_dir():
        raise BotNotFoundError(
            f"BOT {word} is a directory: give the program in it, or write a {BOT_FILE} there "
            f"(spec/organisers.md, 2); for all programs in it: {word.rstrip('/')}/*"
        )
    if not path.is_file():
        raise BotNotFoundError(f"BOT {word} is a pipe or a device: give the file of a program")
    suffix = path.suffix.lower()
    if suffix == ".py" or ".." in Path(word).parts:
        _check_inside(word, directory)
    if suffix == ".py":
        if not os.access(path, os.R_OK):
            raise BotNotFoundError(f"BOT {word} cannot be read")
        file = str(path.absolute() if directory else path)
        return (sys.executable, f"./{file}" if file.startswith("-") else file)
    if not os.access(path, os.X_OK):
        if is_noexec(str(path)):
            raise BotNotFoundError(
                f"BOT {word} is on a file system that is mounted with noexec: copy it to another "
                "folder, or name its interpreter"
            )
        if suffix == ".txt":
            raise BotNotFoundError(
                f"BOT {word} is a text file: if it is a rule file, "
                "rename it so that it ends in .json"
            )
        raise BotNotFoundError(f"BOT {word} is not executable; {how_to_run(word)}")
    return (os.path.abspath(path),)


def is_noexec(path: str) -> bool:
    """Return True if the file's file system is mounted with noexec."""
    try:
        return bool(os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0))
    except OSError:
        return False


def how_to_run(file: str) -> str:
    """Suggest how to run a file that isn't executable, as a clause for an error message."""
    suffix = Path(file).suffix.lower()
    if suffix in _INTERPRETERS:
        return f'run it by its interpreter: "{_INTERPRETERS[suffix]} {file}"'
    if suffix in _COMPILED:
        return "it is a source file: compile it and give the program"
    return f"give it its run bit (chmod +x {file}) or name its interpreter"


def _unquoted_path(words: Sequence[str], directory: str) -> str | None:
    # People forget the inner quotes in commands like "python3 /home/me/my bots/a.py", so we try to
    # join neighbouring words until they name a file. We only use the first 20 words, since the
    # number of combinations is quadratic.
    for start, end in combinations(range(min(len(words), 20) + 1), 2):
        path = " ".join(words[start:end])
        is_split = end - start > 1 and not os.path.exists(os.path.join(directory, words[end - 1]))
        if is_split and os.path.isfile(os.path.join(directory, path)):
            return as_text(path)
    return None


def _did_you_mean_beside(word: str, directory: str) -> str:
    # Compare names without their suffixes. With a .py at the end, all of them would look similar.
    parent = word[: word.rfind("/") + 1]
    names: dict[str, str] = {}  # maps stems to file names
    # This can be any folder, with any number of files, so we stop after 1,000.
    with suppress(OSError), os.scandir(os.path.join(directory, parent) or ".") as entries:
        for entry in islice(entries, 1000):
            if entry.name.endswith((".py", ".json")) or is_bot_folder(entry.path):
                names[Path(entry.name).stem] = entry.name
    close = nearest(Path(word).stem, names)
    return f"; did you mean {as_text(parent + names[close])}?" if close else ""


def not_on_path(program: str) -> str:
    """Return a clause that says that a program isn't on the PATH, and suggests a similar one."""
    close = did_you_mean(program, filter(shutil.which, _PROGRAMS))
    return f"the program {program or repr(program)} is not on PATH{close}"


def _not_found(argument: str, first: str, game: str, directory: str) -> str:
    shown = repr(argument) if " " in argument else argument
    if first in templates(game):
        mine = f"my_bot{Path(first).suffix}"
        show = f"referee bots --show {first} > {mine}"
        return f"BOT {shown} not found: it is a bundled source file to start from: {show}"
    plays = next((other for other in GAMES if first in bundled_bots(other)), None)
    if plays is not None:
        own = ", ".join(bundled_bots(game)) or "none"
        return f"BOT {shown} plays {plays}, not {game}; the bundled bots of {game}: {own}"
    if first in bots_of_own_games():
        return f"BOT {shown} plays games that are one class, not {game}: give --game FILE"
    here = [f"{first}.py"] if os.path.isfile(os.path.join(directory, f"{first}.py")) else []
    close = did_you_mean(first, here or [*bundled_bots(game), *rule_files(game)])
    close = close or _did_you_mean_beside(first, directory)
    if close:
        return f"BOT {shown} not found{close}"
    if first != argument and "/" not in first:  # the argument is a command line, not just a name
        return f"BOT {shown} not found: {not_on_path(first)}"
    missing = "no such file" if "/" in first else "no bundled bot, file or program of that name"
    return f"BOT {shown} not found: {missing} (`referee bots` lists the bundled ones)"

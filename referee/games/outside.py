"""Games from outside: a file, a folder, or an installed package with an entry point.

    load("./connect4.py")                     the game's `GameDefinition`
    add("./connect4.py")                      the same, as a game of `GAMES`; returns its name

Loading a game runs its code, with all rights of the user. Therefore only the user's own words load
one: `--game FILE` or `play_match(game=FILE)`. A record, a store or a page names the game that it is
of, and nobody loads a game because of that.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct, UnsetType

from referee.errors import GameError, RefereeError, UsageError, game_error, in_short, note_game
from referee.games import GAMES
from referee.games.interface.blaming import GameTimeoutError, in_time
from referee.games.interface.definition import GameDefinition

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "referee.games"
"""The group of the entry points of installed packages."""
_GAME = "GAME"
"""What a module of a game calls its `GameDefinition`."""
_NAME = re.compile("[a-z][a-z0-9_-]{0,39}")
_MODULE = "_referee_game_"


class Source(Struct, frozen=True):
    """Where a game from outside comes from, as records and stores name it."""

    file: Annotated[str, Meta(description="The file, folder or name that the user gave.")]
    digest: Annotated[
        str, Meta(description="SHA-256 of the file; of a folder, of all its .py files.")
    ]
    version: Annotated[
        str | UnsetType,
        Meta(description="Of the installed package, or `__version__` of the file; missing: none."),
    ] = msgspec.UNSET


class Outside(NamedTuple):
    """A game from outside that is loaded.

    Attributes:
        place: the absolute path of its file or folder, or the name of its entry point.
    """

    source: Source
    place: str
    rules: GameDefinition


class _Code(NamedTuple):
    """The code of a game.

    Attributes:
        root: the absolute path of its file or folder.
        digest: of what is there now.
        entry: of an installed package; None: the path was given.
    """

    root: str
    digest: str
    entry: EntryPoint | None = None


def load(path: str) -> GameDefinition:
    """The game in a file or a folder, or of an installed package.

    Raises:
        UsageError: there is no such file, or none of these games is installed.
        GameError: the code has a mistake, or does not define a game.
    """
    return _loaded(path).rules


def add(path: str) -> str:
    """Load a game as `load` does, and make it one of `GAMES`. Returns: its name.

    Raises:
        UsageError, GameError: as `load`; or a game of this name is there already.
    """
    found = _loaded(path)
    name = found.rules.name
    if name in GAMES and name not in GAMES.outside:
        raise UsageError(f"{path}: there is a game {name} already: give yours another name")
    GAMES.outside[name] = found
    GAMES[name] = found.rules
    return name


def need(name: str, source: Source, place: str) -> None:
    """Have a game in this process, for a process that has it already.

    Args:
        name, source, place: of the game there.

    Raises:
        UsageError: the code is gone, or has changed meanwhile.
        GameError: as `load`.
    """
    there = GAMES.outside.get(name)
    if there is not None and there.source.digest == source.digest:
        return
    if _code_of(place).digest != source.digest:
        raise UsageError(
            f"the game {name} has changed while it was used ({source.file}): start again"
        )
    add(place)
    GAMES.outside[name] = GAMES.outside[name]._replace(source=source)


def known_as(name: str, sources: Sequence[Source]) -> bool:
    """Name a loaded game in records as before, if it was played as one of these versions.

    Two records of equal matches are then equal, from whichever folder the game was named.

    Returns:
        False if another version is loaded. True also for a game of the referee.
    """
    now = GAMES.outside.get(name)
    if now is None:
        return True
    same = next((source for source in sources if source.digest == now.source.digest), None)
    if same is not None:
        GAMES.outside[name] = now._replace(source=same)
    return same is not None


def _loaded(path: str) -> Outside:
    code = _code_of(path)
    key = code.root, code.digest
    if key not in _loaded_before:  # to run it again would make its classes anew
        _loaded_before[key] = _run(path, code)
    found = _loaded_before[key]
    note_game(code.root, found.rules.name)
    place = path if code.entry is not None else code.root
    return Outside(msgspec.structs.replace(found.source, file=path), place, found.rules)


_loaded_before: dict[tuple[str, str], Outside] = {}
"""The games that this process has loaded, by their place and their digest."""


def _run(path: str, code: _Code) -> Outside:
    """Run the code of a game."""
    module = _module(path, code)
    rules = _definition(path, code, module)
    if not isinstance(rules.name, str) or not _NAME.fullmatch(rules.name):
        raise GameError(
            f"the game in {path} is called {rules.name!r}: a name has lower-case letters, digits, "
            '"_" and "-", at most 40, and begins with a letter'
        )
    version = getattr(module, "__version__", msgspec.UNSET)
    if code.entry is not None and code.entry.dist is not None:
        version = code.entry.dist.version
    known = version if isinstance(version, str) else msgspec.UNSET
    return Outside(Source(path, code.digest, known), code.root, rules)


def _code_of(path: str) -> _Code:
    """The code that a user names, which is not run yet."""
    if os.path.exists(path):
        root = os.path.realpath(path)
        if os.path.isdir(root):
            if not os.path.isfile(os.path.join(root, "__init__.py")):
                raise UsageError(f"{path} is not the folder of a game: it has no __init__.py")
            return _Code(root, _digest(path, root))
        if not path.endswith(".py"):
            raise UsageError(f"{path} is not a game: give a .py file or a folder of Python files")
        return _Code(root, _digest(path, root))
    if os.sep in path or path.endswith(".py"):
        raise UsageError(f"no game {path}: there is no such file")
    installed = {entry.name: entry for entry in _entries()}
    if path not in installed:
        known = ", ".join([*(name for name in GAMES if name not in GAMES.outside), *installed])
        raise UsageError(f"no game {path!r}; there are: {known}; or name a file: ./my_game.py")
    entry = installed[path]
    file = _importing(path, entry.module).__file__
    if file is None:
        raise UsageError(f"the game {path} has no file: {entry.module} is not a module")
    root = os.path.abspath(file)  # as its tracebacks have it, links included
    root = os.path.dirname(root) if os.path.basename(root) == "__init__.py" else root
    return _Code(root, _digest(path, root), entry)


def _entries() -> Iterable[EntryPoint]:
    """The games of installed packages."""
    from importlib.metadata import entry_points  # takes long to load

    return entry_points(group=GROUP)


def _digest(path: str, root: str) -> str:
    """The digest of a file, or of all .py files of a folder with their names."""
    digest = hashlib.sha256()
    try:
        if os.path.isfile(root):
            digest.update(Path(root).read_bytes())
        else:
            for file in sorted(Path(root).rglob("*.py")):
                data = file.read_bytes()
                digest.update(f"{file.relative_to(root).as_posix()}\0{len(data)}\0".encode())
                digest.update(data)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    return f"sha256:{digest.hexdigest()}"


def _module(path: str, code: _Code) -> ModuleType:
    """Run the code of a game."""
    if code.entry is not None:
        return _importing(path, code.entry.module)
    named = hashlib.sha256(f"{code.root}\0{code.digest}".encode(errors="surrogateescape"))
    name = _MODULE + named.hexdigest()[:16]
    folder = os.path.isdir(code.root)
    file = os.path.join(code.root, "__init__.py") if folder else code.root
    spec = spec_from_file_location(
        name, file, submodule_search_locations=[code.root] if folder else None
    )
    assert spec is not None  # it ends in .py
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    note_game(code.root, f"in {path}")
    try:
        with in_time():
            spec.loader.exec_module(module)
    except (Exception, SystemExit, GameTimeoutError) as error:
        del sys.modules[name]
        raise _not_loaded(path, error) from error
    return module


def _importing(path: str, module: str) -> ModuleType:
    """Import the module of an installed game."""
    try:
        return import_module(module)
    except (Exception, SystemExit) as error:
        raise _not_loaded(path, error) from error


def _not_loaded(path: str, error: BaseException) -> RefereeError:
    """The error of a game whose module cannot be loaded."""
    if isinstance(error, SyntaxError):
        where = f"{error.filename}, line {error.lineno}: {error.msg}"
        return GameError(f"the game in {path} has a mistake: {where}")
    return game_error(error) or GameError(f"the game {path} has a mistake: {in_short(error)}")


def _definition(path: str, code: _Code, module: ModuleType) -> GameDefinition:
    """The `GameDefinition` that a module gives, or that is made from its class of a small game."""
    found = getattr(module, _GAME, None)
    if code.entry is not None and code.entry.attr:
        found = code.entry.load()
    if found is None:
        found = _small_game(path, code, module)
    if not isinstance(found, GameDefinition):
        what = "has no" if found is None else f"has a {type(found).__name__} as"
        raise GameError(
            f"the game in {path} has a mistake: {code.root} {what} {_GAME}, which must be a "
            "GameDefinition"
        )
    return found


def _small_game(path: str, code: _Code, module: ModuleType) -> object:
    """The definition of the one small game of a module; None if it has none."""
    small = sys.modules.get("referee.games.small")  # which the module has imported for its class
    if small is None:
        return None
    kinds = {
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, small.Game) and kind is not small.Game
    }
    # A class that others are derived from is their base, and not a game.
    games = [kind for kind in kinds if not any(kind in each.__mro__[1:] for each in kinds)]
    if len(games) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in games))
        raise GameError(f"the game in {path} has a mistake: {code.root} has several games: {names}")
    if not games:
        return None
    try:
        return small.definition(games[0], Path(code.root).stem)
    except (Exception, SystemExit) as error:
        raise _not_loaded(path, error) from error

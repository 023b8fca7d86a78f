"""Games from outside, i.e. from a file, a folder, or an installed package with an entry point.

    load("./connect4.py")                     returns the game's `GameDefinition`
    add("./connect4.py")                      adds it to `GAMES` and returns its name

Loading a game executes its code with all rights of the user. We therefore only do it if the user
asks for it with `--game FILE` or `play_match(game=FILE)`. Records, stores and pages also contain
the name of a game, but they may come from anybody, so we never load a game because of them.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
from msgspec import Struct, UnsetType

from referee.errors import GameError, RefereeError, UsageError, game_error, in_short, note_game
from referee.games import GAMES
from referee.games.interface.blaming import in_time
from referee.games.interface.data import about
from referee.games.interface.definition import GameDefinition
from referee.interrupts import may_be_signal

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "referee.games"
"""Packages that contain a game declare an entry point in this group."""
_GAME = "GAME"
"""The module of a game defines its `GameDefinition` with this name."""
_NAME = re.compile("[a-z][a-z0-9_-]{0,39}")
_MODULE = "_referee_game_"


class Source(Struct, frozen=True):
    """Where a game from outside comes from, as written to records and stores."""

    file: Annotated[str, about("The file, folder or name as given by the user.")]
    digest: Annotated[str, about("SHA-256 of the file, or of all .py files of the folder.")]
    version: Annotated[
        str | UnsetType,
        about("Version of the package, or `__version__` of the file; missing: none."),
    ] = msgspec.UNSET


class Outside(NamedTuple):
    """A loaded game from outside.

    Attributes:
        place: the absolute path of its file or folder, or the name of its entry point. Another
            process can load the game from there.
    """

    source: Source
    place: str
    definition: GameDefinition


class _Code(NamedTuple):
    """The code of a game on disk.

    Attributes:
        root: the absolute path of its file or folder.
        digest: a hash of the code as it's on disk now.
        entry: the entry point, if the game is in an installed package.
    """

    root: str
    digest: str
    entry: EntryPoint | None = None


def load(path: str) -> GameDefinition:
    """Load a game from a file, a folder or an installed package.

    Raises:
        UsageError: the file doesn't exist, or no installed game has this name.
        GameError: the code has a mistake, or doesn't define a game.
    """
    return _loaded(path).definition


def add(path: str) -> str:
    """Load a game and add it to `GAMES`. Returns its name.

    Raises:
        UsageError: see `load`, or the name is already taken by a built-in game.
        GameError: see `load`.
    """
    found = _loaded(path)
    name = found.definition.name
    if name in GAMES and name not in GAMES.outside:
        raise UsageError(f"{path}: there is a game {name} already: give yours another name")
    GAMES.outside[name] = found
    GAMES[name] = found.definition
    return name


def need(name: str, source: Source, place: str) -> None:
    """Load the same game as another process, which may be on another machine.

    Args:
        name: the name in `GAMES`.
        source: the source in the other process.
        place: where to find the code in this process (see `Outside`).

    Raises:
        UsageError: the code was changed or deleted in the meantime.
        GameError: see `load`.
    """
    there = GAMES.outside.get(name)
    if there is not None and there.source.digest == source.digest:
        return
    if _code_of(place).digest != source.digest:
        raise UsageError(
            f"the game {name} has changed while it was used ({source.file}): start again"
        )
    add(place)
    # We may have loaded a copy from another folder, but new records should contain the path or name
    # that the user gave.
    GAMES.outside[name] = GAMES.outside[name]._replace(source=source)


def known_as(name: str, sources: Sequence[Source]) -> bool:
    """Check that the loaded version of a game is among these earlier sources.

    If so, new records contain that earlier source. A repeated match then gets the same record, even
    if the game was loaded from another folder this time.

    Returns:
        False if the game has changed. Built-in games always return True.
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
    # Don't run the same code twice. It would define all classes again, and objects of the old and
    # the new classes don't go together.
    if key not in _loaded_before:
        _loaded_before[key] = _run(path, code)
    found = _loaded_before[key]
    note_game(code.root, found.definition.name)
    place = path if code.entry is not None else code.root
    return Outside(msgspec.structs.replace(found.source, file=path), place, found.definition)


_loaded_before: dict[tuple[str, str], Outside] = {}
"""The games that this process has loaded, by path and digest."""


def _run(path: str, code: _Code) -> Outside:
    module = _module(path, code)
    definition = _definition(path, code, module)
    if not isinstance(definition.name, str) or not _NAME.fullmatch(definition.name):
        raise GameError(
            f"the game in {path} is called {definition.name!r}: a name has lower-case letters, "
            'digits, "_" and "-", at most 40, and begins with a letter'
        )
    version = getattr(module, "__version__", msgspec.UNSET)
    if code.entry is not None and code.entry.dist is not None:
        version = code.entry.dist.version
    known = version if isinstance(version, str) else msgspec.UNSET
    return Outside(Source(path, code.digest, known), code.root, definition)


def _code_of(path: str) -> _Code:
    if os.path.exists(path):
        root = os.path.realpath(path)
        if os.path.isdir(root):
            if not os.path.isfile(os.path.join(root, "__init__.py")):
                inside = os.path.join(path, f"{os.path.basename(root)}.py")
                hint = f"; did you mean {inside}?" if os.path.isfile(inside) else ""
                raise UsageError(f"{path} is not the folder of a game: it has no __init__.py{hint}")
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
    # We only know where the code of an installed game is after we've imported it.
    file = _importing(path, entry.module).__file__
    if file is None:
        raise UsageError(f"the game {path} has no file: {entry.module} is not a module")
    # Don't use realpath() here. We compare this path with the ones in tracebacks, in which Python
    # doesn't resolve symbolic links.
    root = os.path.abspath(file)
    root = os.path.dirname(root) if os.path.basename(root) == "__init__.py" else root
    return _Code(root, _digest(path, root), entry)


def _entries() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=GROUP)


def _digest(path: str, root: str) -> str:
    digest = hashlib.sha256()
    try:
        if os.path.isfile(root):
            digest.update(Path(root).read_bytes())
        else:
            for file in sorted(Path(root).rglob("*.py")):
                data = file.read_bytes()
                # The digest includes names and lengths. Otherwise it wouldn't change if code moved
                # from the end of one file to the beginning of the next.
                digest.update(f"{file.relative_to(root).as_posix()}\0{len(data)}\0".encode())
                digest.update(data)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    return f"sha256:{digest.hexdigest()}"


def _module(path: str, code: _Code) -> ModuleType:
    if code.entry is not None:
        return _importing(path, code.entry.module)
    # The name of the module depends on the digest. If the code has changed, it becomes a separate
    # module, which doesn't share classes with the old one.
    named = hashlib.sha256(f"{code.root}\0{code.digest}".encode(errors="surrogateescape"))
    name = _MODULE + named.hexdigest()[:16]
    folder = os.path.isdir(code.root)
    file = os.path.join(code.root, "__init__.py") if folder else code.root
    spec = spec_from_file_location(
        name, file, submodule_search_locations=[code.root] if folder else None
    )
    assert spec is not None  # it's only None if the name doesn't end in .py
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    note_game(code.root, f"in {path}")
    try:
        with in_time():
            spec.loader.exec_module(module)
    # Calling exit() while a game is loaded is a mistake like any other.
    except BaseException as error:
        del sys.modules[name]
        raise _not_loaded(path, error) from error
    return module


def _importing(path: str, module: str) -> ModuleType:
    try:
        with in_time():
            spec = find_spec(module)
            # If the import fails, we can only name the line if we know the file beforehand.
            if spec is not None and spec.origin is not None:
                is_package = spec.submodule_search_locations is not None
                root = os.path.dirname(spec.origin) if is_package else spec.origin
                note_game(root, f"in {path}")
            return import_module(module)
    except BaseException as error:
        raise _not_loaded(path, error) from error


def _not_loaded(path: str, error: BaseException) -> RefereeError:
    if may_be_signal(error):
        raise error
    if isinstance(error, GameError):
        return error
    # If Python couldn't parse the file, it doesn't appear in the traceback. The error itself knows
    # the file and the line.
    if isinstance(error, SyntaxError):
        where = f"{error.filename}, line {error.lineno}: " if error.filename else ""
        return GameError(f"the game in {path} has a mistake: {where}{error.msg}")
    return game_error(error) or GameError(f"the game {path} has a mistake: {in_short(error)}")


def _definition(path: str, code: _Code, module: ModuleType) -> GameDefinition:
    found = getattr(module, _GAME, None)
    # An entry point can name any attribute of its module. Otherwise we look for GAME, and if that's
    # missing, for the class of a small game.
    if code.entry is not None and code.entry.attr:
        found = code.entry.load()
    if found is None:
        found = _small_game(path, code, module)
    if not isinstance(found, GameDefinition):
        what = f"has a {type(found).__name__} as"
        if found is None:
            what = "has no class below `Game`, and no"
        raise GameError(
            f"the game in {path} has a mistake: {code.root} {what} {_GAME}, which must be a "
            "GameDefinition"
        )
    return found


def _small_game(path: str, code: _Code, module: ModuleType) -> object:
    # To define a small game, a module has to import this package. If nobody has imported it, there
    # can't be a small game.
    small = sys.modules.get("referee.games.small")
    if small is None:
        return None
    kinds = {
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, small.Game) and kind is not small.Game
    }
    # A class that other games derive from isn't a game itself.
    games = [kind for kind in kinds if not any(kind in each.__mro__[1:] for each in kinds)]
    if len(games) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in games))
        what = f"has several games: {names}; keep one"
        raise GameError(f"the game in {path} has a mistake: {code.root} {what}")
    if not games:
        return None
    try:
        return small.definition(games[0], Path(code.root).stem)
    except BaseException as error:
        raise _not_loaded(path, error) from error

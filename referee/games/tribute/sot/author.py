"""Imports the author's file, creates the bot, and shows errors.

If something goes wrong, the traceback should only show the author's own code.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from traceback import TracebackException, extract_tb
from typing import Any

import scripts_of_tribute
from scripts_of_tribute.base_ai import BaseAI

_OURS = (os.path.dirname(os.path.abspath(__file__)), "<frozen importlib")
_ENGINE = os.path.join(os.path.dirname(str(scripts_of_tribute.__file__)), "game.py")
_STARTS = (
    'starts the engine when it is imported: put Game().run(...) below if __name__ == "__main__":'
)


class AuthorError(Exception):
    """Raised if the author's file can't be used. The message is a single line."""


def load(file: str, name: str) -> Callable[..., Any]:
    """Import a file, and return the bot's class or function with this name.

    If `name` is empty, return the only bot class of the file.
    """
    # The file may read sys.argv, or import modules from its own folder. Make that work as if it had
    # been started directly.
    sys.path.insert(0, os.path.dirname(file))
    sys.argv = [file]
    stem = os.path.basename(file).removesuffix(".py")
    # If the file has the name of a module that is already loaded, such as random.py, we must not
    # replace that module.
    spec: Any = spec_from_file_location("sot_bot" if stem in sys.modules else stem, file)
    module = sys.modules[spec.name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        # The file starts a game when it's imported, because it doesn't check __name__.
        if any(frame.filename == _ENGINE for frame in extract_tb(error.__traceback__)):
            raise AuthorError(f"{file} {_STARTS}") from error
        raise
    classes = {
        key: each
        for key, each in vars(module).items()
        if isinstance(each, type) and issubclass(each, BaseAI) and each is not BaseAI
    }
    # Prefer bots that are defined in the file to those that it imports.
    own = [each for each in classes.values() if each.__module__ == spec.name]
    found: list[Any] = [getattr(module, name, None)] if name else own or [*classes.values()]
    maker: Callable[..., Any] | None = found[0] if len(found) == 1 else None
    if callable(maker):
        return maker
    there = "no class there derives from BaseAI"
    if classes:
        there = f"give one of {', '.join(classes)} after sot:FILE.py and a colon"
    raise AuthorError(f"{file} has no bot {name}: {there}" if name else f"{file}: {there}")


def make(maker: Callable[..., Any]) -> Any:
    """Create a bot. Its constructor may take the bot's name, or no arguments."""
    name, signature = maker.__name__, inspect.signature(maker)
    for arguments, keywords in (((), {}), ((name,), {}), ((), {"bot_name": name})):
        # We can't just call the constructor and catch TypeError. That would also hide a TypeError
        # in the author's own code.
        try:
            signature.bind(*arguments, **keywords)
        except TypeError:
            continue
        return maker(*arguments, **keywords)
    advice = "write a function without arguments that returns a bot, and name it after the colon"
    raise AuthorError(f"{name}{signature} needs more than a name: {advice}")


def show_error(error: BaseException) -> None:
    """Print a traceback to stderr, without the frames of this package."""
    shown = TracebackException.from_exception(error)
    shown.stack[:] = [frame for frame in shown.stack if not frame.filename.startswith(_OURS)]
    print(*shown.format(), sep="", end="", file=sys.stderr, flush=True)

"""Names of a package that are loaded when they are first used, so that importing it is cheap."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy(package: str, homes: Mapping[str, str]) -> tuple[list[str], Callable[[str], object]]:
    """The names of a package, and its `__getattr__`.

    Args:
        homes: module -> the names that the package takes from it, separated by spaces.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> object:
        from importlib import import_module

        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home[name]), name)

    return sorted(home), load

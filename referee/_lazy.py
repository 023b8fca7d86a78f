"""Import names on first use, so that importing a package is cheap."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # like typing.TYPE_CHECKING, but typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable


def lazy(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Create a `__getattr__` and a `__dir__` that import a package's names on first use.

    The names are the ones that the package imports for type checkers, one per line: `from MODULE
    import NAME as NAME`. We read these lines from its source, so that no name is listed twice.
    """
    found: dict[str, str] = {}

    def homes() -> dict[str, str]:
        if not found:
            import re

            source = sys.modules[package].__loader__.get_source(package)  # type: ignore[union-attr]
            lines = re.findall(r"^    from (\S+) import \S+ as (\S+)$", source, re.MULTILINE)
            found.update({name: module for module, name in lines})
        return found

    def load(name: str) -> object:
        if name == "__all__":
            return sorted(homes())
        if name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(homes()[name]), name)

    return load, lambda: sorted(homes())

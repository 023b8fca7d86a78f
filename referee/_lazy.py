"""Names that are loaded when they are first used, so that importing a package is cheap."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def loaded(where: str) -> Any:
    """Load an attribute of a module: "module:attribute". As in `pkgutil`, which loads slowly."""
    from importlib import import_module

    module, _, attribute = where.partition(":")
    return getattr(import_module(module), attribute)


def lazy(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and the `__dir__` of a package.

    The names are read from the package's own text: each line `from X import Y as Y` has one. Only
    type checkers run these lines.
    """
    homes: dict[str, str] = {}

    def read() -> dict[str, str]:
        if not homes:
            import re
            from importlib.util import find_spec

            source = find_spec(package).loader.get_source(package)  # type: ignore[union-attr]
            lines = re.findall(r"^ *from (\S+) import (\w+) as \2$", source, re.MULTILINE)
            homes.update((name, module) for module, name in lines)
        return homes

    def load(name: str) -> object:
        from importlib import import_module

        if name == "__all__":
            return sorted(read())
        if name not in read():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return load, lambda: sorted(read())

"""Import names on first use, so that importing a package is cheap."""

from __future__ import annotations

TYPE_CHECKING = False  # like typing.TYPE_CHECKING, but typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Create a `__getattr__` and a `__dir__` that import a package's names on first use.

    Args:
        homes: the module in which each public name is defined.
    """

    def load(name: str) -> object:
        if name == "__all__":
            return sorted(homes)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(homes[name]), name)

    return load, lambda: sorted(homes)

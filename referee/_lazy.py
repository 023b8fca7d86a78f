"""Names that are loaded when they are first used, so that importing a package is cheap."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and the `__dir__` of a package.

    Args:
        homes: for each public name of the package the module that has it.
    """

    def load(name: str) -> object:
        if name == "__all__":
            return sorted(homes)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(homes[name]), name)

    return load, lambda: sorted(homes)

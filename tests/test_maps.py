"""If an `__init__.py` says what its modules are for, it must list all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.live import ROOT

_MODULE = re.compile(r"^[# ]*(\w+\.py(?:, \w+\.py)*)(?: |$)", re.MULTILINE)


def named(package: Path) -> set[str]:
    """Return the modules that are listed, or an empty set if there is no list."""
    text = (package / "__init__.py").read_text()
    return {module for line in _MODULE.findall(text) for module in line.split(", ")}


PACKAGES = sorted(file.parent for file in (ROOT / "referee").rglob("__init__.py"))
MAPPED = [package for package in PACKAGES if named(package)]


def test_packages_have_maps() -> None:
    assert len(MAPPED) > 15


@pytest.mark.parametrize("package", MAPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_map_names_each_module_and_nothing_else(package: Path) -> None:
    assert named(package) == {file.name for file in package.glob("*.py")} - {"__init__.py"}

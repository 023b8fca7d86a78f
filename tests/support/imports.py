"""Check which modules a program imports, and import modules again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection

import pytest


def loaded(code: str, modules: Collection[str]) -> set[str]:
    """Run some Python code in a new process. Return which of these modules it has loaded."""
    code += f"\nimport sys\nprint(*{set(modules)} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {*done.stdout.split()}


def forget(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Let these modules, and all modules below them, be imported again in this test.

    Importing a module sets an attribute of its package, so that has to be restored, too. Otherwise
    a later test might patch the module that nobody uses any more.
    """
    # Modules come before their packages, which we need to restore the attributes.
    for name, module in sorted(sys.modules.items(), key=lambda item: item[0], reverse=True):
        if any(f"{name}.".startswith(f"{package}.") for package in packages):
            parent, _, child = name.rpartition(".")
            monkeypatch.setattr(sys.modules[parent], child, module, raising=False)
            monkeypatch.delitem(sys.modules, name)

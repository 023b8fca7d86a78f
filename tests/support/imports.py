"""Find the modules that a program has imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection


def loaded(code: str, modules: Collection[str]) -> set[str]:
    """Return the modules, out of these, that a Python program has loaded by its end."""
    code += f"\nimport sys\nprint(*{set(modules)} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {*done.stdout.split()}

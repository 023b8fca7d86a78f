"""Check which modules a program imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection


def loaded(code: str, modules: Collection[str]) -> set[str]:
    """Run some Python code in a new process. Return which of these modules it has loaded."""
    code += f"\nimport sys\nprint(*{set(modules)} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {*done.stdout.split()}

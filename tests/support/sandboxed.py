"""Skip tests that need the sandbox where it isn't available."""

from __future__ import annotations

import pytest

from referee.bots.processes.sandbox import unavailable_reason

needs_bwrap = pytest.mark.skipif(
    bool(unavailable_reason()), reason=f"no sandbox: {unavailable_reason()}"
)

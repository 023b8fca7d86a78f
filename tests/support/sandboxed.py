"""For tests of the sandbox."""

from __future__ import annotations

import pytest

from referee.bots.processes.sandbox import why_not

needs_bwrap = pytest.mark.skipif(bool(why_not()), reason=f"no sandbox: {why_not()}")

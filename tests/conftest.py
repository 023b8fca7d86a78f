"""Lets the tests of a folder import `helpers`, also when only that folder is run."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

"""The bot that spec/other-languages.md prints keeps to the protocol, in all cases."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from referee.bots.command import find_bot
from tests.support.conforming import failed
from tests.support.live import ROOT

PAGE = (ROOT / "spec" / "other-languages.md").read_text()


@pytest.mark.slow
async def test_the_bot_of_the_page_conforms(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("no node on this machine")
    (code,) = re.findall(r"^```javascript\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "my_bot.js").write_text(code)
    assert await failed(find_bot(f"node {tmp_path}/my_bot.js", "dominion"), "dominion") == []

"""Short runs of the attacks on other processes and files, and of killing the referee."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from referee.bots.processes.sandbox import resolve
from tests.support.sandboxed import needs_bwrap
from tools.attacks import signals
from tools.attacks.hostile import SERVERS, Seen, attack, attacks_at_once, try_out
from tools.attacks.many_matches import here, measured

pytestmark = needs_bwrap


@pytest.mark.slow
def test_no_attack_gets_out_of_the_sandbox() -> None:
    with SERVERS:
        assert try_out(attacks_at_once(), "bwrap") == Seen("fails, 0, plays on", "")


@pytest.mark.slow
def test_an_attack_that_succeeds_is_seen() -> None:
    """If we couldn't see attacks succeed without a sandbox, the test above would prove nothing."""
    behaviour = attack("kills its opponent", "kill_siblings")
    assert try_out(behaviour, "none") == Seen("succeeds, 1, other exited, plays on", "")
    behaviour = attack("reads a file", "read_file", os.devnull.replace("null", "zero"))
    assert try_out(behaviour, "none") == Seen("succeeds, 0, plays on", "")


@pytest.mark.slow
def test_nothing_in_a_sandbox_outlives_a_killed_referee(tmp_path: Path) -> None:
    """This includes processes that a bot has moved to a new session."""
    assert signals.attack("bwrap", signal.SIGKILL, 0.2, tmp_path) == ""


@pytest.mark.all_cases
def test_nothing_grows_over_matches_with_hostile_bots() -> None:
    first, _, last = measured(40, partial(here, sandbox=resolve("bwrap")))
    assert not last.is_more_than(first)

"""Signals: raised at once, or noted while something must not be torn apart."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from referee.interrupts import Interrupted, Interrupts


def test_a_signal_is_raised_at_once() -> None:
    def be_ended() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(5)

    with Interrupts(), pytest.raises(Interrupted) as caught:
        be_ended()
    assert caught.value.exit_code == 143


def test_a_held_signal_is_raised_at_the_end() -> None:
    done = []

    def hold(interrupts: Interrupts) -> None:
        with interrupts.held():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("what was held")

    with Interrupts() as interrupts, pytest.raises(Interrupted, match="interrupted"):
        hold(interrupts)
    assert done == ["what was held"]


def test_the_handlers_of_before_come_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        assert signal.getsignal(signal.SIGINT) is not before
        assert signal.SIGINT in interrupts.caught
    assert signal.getsignal(signal.SIGINT) is before


def test_an_ignored_signal_stays_ignored() -> None:
    """A program under nohup outlives its terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            assert signal.SIGHUP not in interrupts.caught
            os.kill(os.getpid(), signal.SIGHUP)
            interrupts.check()
    finally:
        signal.signal(signal.SIGHUP, before)

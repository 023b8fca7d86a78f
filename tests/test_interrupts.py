"""Signals are noted, and only raised while the command allows it."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from referee.interrupts import Interrupted, Interrupts, ending_waits, may_be_signal, signal_name


def test_a_signal_is_only_noted() -> None:
    """Raising could break an import, or leave a process behind that nobody knows of yet."""
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Interrupted) as caught:
            interrupts.check()
    assert caught.value.exit_code == 143


def test_a_signal_is_raised_at_once_where_a_command_allows_it() -> None:
    with Interrupts() as interrupts, pytest.raises(Interrupted), interrupts.raising():
        signal.raise_signal(signal.SIGTERM)


def test_after_the_block_a_signal_is_only_noted_again() -> None:
    with Interrupts() as interrupts:
        with interrupts.raising():
            pass
        signal.raise_signal(signal.SIGTERM)
        assert interrupts.forget(signal.SIGTERM)


def test_a_signal_noted_before_is_raised_where_it_is_allowed() -> None:
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGHUP)
        with pytest.raises(Interrupted, match="SIGHUP"), interrupts.raising():
            pytest.fail("it was not raised")


def test_ctrl_c_does_not_hide_another_signal() -> None:
    """A tournament forgets the first Ctrl-C and lets its matches end. SIGTERM has to end it."""
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        assert not interrupts.forget(signal.SIGINT)
        with pytest.raises(Interrupted, match="SIGTERM"):
            interrupts.check()


def test_a_held_signal_is_raised_at_the_end() -> None:
    done = []

    def hold(interrupts: Interrupts) -> None:
        with interrupts.raising():
            with interrupts.raising(False):
                signal.raise_signal(signal.SIGINT)
                done.append("what was held")
            done.append("not reached")

    with Interrupts() as interrupts, pytest.raises(Interrupted, match="interrupted"):
        hold(interrupts)
    assert done == ["what was held"]


def test_a_second_signal_does_not_tear_what_cleans_up_after_the_first() -> None:
    cleaned = []

    def interrupted(interrupts: Interrupts) -> None:
        with interrupts.raising():
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGTERM)
                cleaned.append("up")

    with Interrupts() as interrupts, pytest.raises(Interrupted):
        interrupted(interrupts)
    assert cleaned == ["up"]


@pytest.mark.parametrize(
    ("number", "name"), [(11, "SIGSEGV"), (9, "SIGKILL"), (50, "signal 50"), (63, "signal 63")]
)
def test_a_signal_has_its_name_or_its_number(number: int, name: str) -> None:
    assert signal_name(number) == name


def test_the_handlers_of_before_come_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        assert signal.getsignal(signal.SIGINT) is not before
        assert signal.SIGINT in interrupts.caught
    assert signal.getsignal(signal.SIGINT) is before


def test_a_forgotten_signal_is_gone() -> None:
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        assert not interrupts.forget(signal.SIGTERM)
        assert interrupts.forget(signal.SIGINT)
        interrupts.check()


def wait_for_a_signal(reached: list[str]) -> None:
    with ending_waits():
        signal.raise_signal(signal.SIGTERM)
        reached.append("the end")


def test_a_wait_deep_inside_a_command_is_ended() -> None:
    """The innermost handlers are in effect, because a process has only one for each signal."""
    reached = list[str]()
    with Interrupts() as outer:
        with Interrupts() as inner:
            with pytest.raises(Interrupted):
                wait_for_a_signal(reached)
            assert inner.forget(signal.SIGTERM)
        with pytest.raises(Interrupted):
            wait_for_a_signal(reached)
        assert outer.forget(signal.SIGTERM)
    assert reached == []


def test_a_wait_of_another_thread_is_not_ended() -> None:
    """Signals are handled by the main thread, which would clean up for the other one."""
    reached = list[str]()

    def wait() -> None:
        with ending_waits():
            reached.append("the end")

    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGTERM)
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
        assert interrupts.forget(signal.SIGTERM)
    assert reached == ["the end"]


def test_a_wait_of_a_library_is_left_to_its_program() -> None:
    seen = list[int]()
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    reached = list[str]()
    try:
        wait_for_a_signal(reached)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (seen, reached) == ([signal.SIGTERM], ["the end"])


def test_ctrl_c_is_told_from_code_that_raises_the_same() -> None:
    assert may_be_signal(Interrupted(signal.SIGINT))
    assert not may_be_signal(SystemExit())
    assert may_be_signal(KeyboardInterrupt())  # Python's own handler raises it in the main thread
    in_thread: list[bool] = []
    thread = threading.Thread(target=lambda: in_thread.append(may_be_signal(KeyboardInterrupt())))
    thread.start()
    thread.join()
    assert in_thread == [False]
    with Interrupts():  # this handler raises something else
        assert not may_be_signal(KeyboardInterrupt())
        assert may_be_signal(Interrupted(signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a worker process
    try:
        assert not may_be_signal(KeyboardInterrupt())
    finally:
        signal.signal(signal.SIGINT, before)


def test_sigterm_is_never_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts, pytest.raises(Interrupted), interrupts.raising():
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_ignored_signal_stays_ignored() -> None:
    """With nohup, a program continues when its terminal is closed."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            assert signal.SIGHUP not in interrupts.caught
            os.kill(os.getpid(), signal.SIGHUP)
            interrupts.check()
    finally:
        signal.signal(signal.SIGHUP, before)

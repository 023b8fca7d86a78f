"""Explains why a bot didn't reply, based on what its process did (protocol, 8.1 and 10)."""

from __future__ import annotations

from referee.bots.process_report import TimeoutObservation
from referee.diagnosis.lines import quoted
from referee.games.interface.dialect import Adapter
from referee.match.pages import SHARED


def why_silent(silence: TimeoutObservation, asked: str, game: str = "") -> str:
    """Return the most likely reason for a missing reply, as a sentence without full stop.

    Args:
        silence: what we saw of the process while we waited.
        asked: the type of the request, or "" if the bot's dialect has no types.
        game: the name of the game. If you pass it, we suggest that the bot may play another game.
            Only do this for the first request, where it's likely.
    """
    if silence.unfinished:
        return f"it wrote {quoted(silence.unfinished)} without a line end"
    used = "" if silence.cpu_seconds is None else f" ({silence.cpu_seconds:.1f} s of CPU time)"
    if silence.late:
        return f"its reply came later, {quoted(silence.late)}: it is too slow"
    if silence.is_busy and not silence.has_answered:
        return (
            f"it was computing{used}: it is still loading, which a longer start-up limit allows, "
            "or it is in an endless loop"
        )
    if silence.is_busy:
        return f"it was computing{used}: an endless loop, or a search that takes too long"
    if silence.at_end:
        came = f"when its input had ended, {quoted(silence.at_end)} came out"
        if silence.has_answered:
            return f"{came}: this reply was not flushed, or it is too slow"
        return (
            f"{came}: it does not flush its output after every line, or it reads its input in "
            f"blocks or to its end instead of line by line (protocol, {SHARED.advice})"
        )
    if not silence.has_read:
        return f"it was not computing{used} and did not read its input: it waits for something else"
    if silence.ended:
        other = f"; if it plays another game than {game}, add --game NAME" if game else ""
        wrote = "nothing"
        if silence.blank:
            wrote = f"only an empty line, which is skipped ({SHARED.lines})"
        return (
            f"it was not computing{used}: it read the {asked or 'request'}, wrote {wrote}, "
            f"and waited for the next line, so it has no answer to {asked or 'it'}{other}"
        )
    return f"it was not computing{used} and did not wait for input: a sleep, a lock, the network?"


def why_not_returned(silence: TimeoutObservation, asked: str, adapter: Adapter) -> str:
    """Explain the same as `why_silent`, but to an author whose methods are called by an adapter."""
    method = adapter.methods[asked]
    used = "" if silence.cpu_seconds is None else f" ({silence.cpu_seconds:.1f} s of CPU time)"
    hint = f"; {adapter.on_time[asked]}" if asked in adapter.on_time else ""
    if silence.late or silence.at_end:
        return f"{method} returned later: it is too slow{hint}"
    if silence.is_busy and not silence.has_answered:
        return (
            f"{method} was computing{used}: it is still loading, which a longer start-up limit "
            "allows, or it is in an endless loop"
        )
    if silence.is_busy:
        return (
            f"{method} was computing{used}: an endless loop, or a search that takes too long{hint}"
        )
    return f"{method} was waiting{used}, not computing: a sleep, a lock, the network?"

"""Conformance of referees: lines of a referee that differ from the protocol, by section.

template.py    COMMAND with its placeholders -> the command line of a match
recording.py   the record of a match: lines, and the form of each
probe.py       a probe's reaction to each line that its seat receives
line_tricks.py its tricks in the form of lines and in handshakes
relay.py       a probe's process, a program of its own: it hands lines to and fro
playing.py     trio: one match, with the referee and relays as processes
comparing.py   a match, compared line by line with our rules, up to the first deviation
processes.py   rules for a referee's processes, their ends, and its folder
cases.py       the cases of spec/vectors; deviations of all matches -> results of the cases
experiment.py  trio: all matches in parallel; their combined results; seeds

Parts for one game belong to the game: `referee.games.interface.probing.Probes`.
"""

from referee.conformance.referee_side.cases import RefereeCase, load_referee_cases
from referee.conformance.referee_side.experiment import check_referee
from referee.conformance.referee_side.template import Template

__all__ = ["RefereeCase", "Template", "check_referee", "load_referee_cases"]

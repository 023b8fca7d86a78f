"""Conformance of referees: what a referee sends that the protocol does not, by section.

template.py    COMMAND with its placeholders -> the command line of a match
recording.py   what was seen of a match: lines, and whether each is written as it must be
probe.py       what a probe does with each line that its seat is sent; its tricks: written.json
relay.py       a probe's process, a program of its own: it hands lines to and fro
playing.py     trio: one match, with the referee and relays as processes
comparing.py   a match, line by line, beside what our rules send, up to the first that departs
processes.py   what is asked of a referee beside its messages: ends, processes, folder
cases.py       the cases of spec/vectors; departures of all matches -> results of the cases
experiment.py  trio: all matches, side by side; what they say together; seeds

What is about one game is the game's: `referee.games.interface.probing.Probes`.
"""

from referee.conformance.referee_side.cases import RefereeCase, load_referee_cases
from referee.conformance.referee_side.experiment import check_referee
from referee.conformance.referee_side.template import Template

__all__ = ["RefereeCase", "Template", "check_referee", "load_referee_cases"]

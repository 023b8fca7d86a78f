"""Conformance of referees: what a referee sends that the protocol does not, by section.

template.py   COMMAND with its placeholders -> the command line of a match
cases.py      the cases of spec/vectors
recording.py  what the probes of a match wrote down
running.py    trio: one match, with the referee and its probes as processes
streams.py    what a seat was sent; comparing messages
retelling.py  a match played again by our rules, up to the first departure
framing.py    what a line is about, whatever the game
process.py    what is asked of a referee beside its messages: ends, processes, environment
seeds.py      is a match what its seed says?
verdicts.py   departures of all matches -> results of the cases
suite.py      trio: all matches, side by side

What is about one game is the game's: `referee.game.Probes`.
"""

from referee.conformance.referee_side.cases import RefereeCase, load_referee_cases
from referee.conformance.referee_side.suite import check_referee
from referee.conformance.referee_side.template import Template

__all__ = ["RefereeCase", "Template", "check_referee", "load_referee_cases"]

"""Test other referees: report deviations from the protocol by section.

template.py    COMMAND with placeholders -> the command line of a match
recording.py   the record of a match: lines and their form
probe.py       a probe's reaction to each line of its seat
line_tricks.py tricks in the form of lines and in handshakes
relay.py       the process of a probe; passes lines between referee and suite
playing.py     trio: one match, with the referee and relays as processes
comparing.py   compares a match with our rules up to the first deviation
processes.py   rules about processes: their ends and their folder
cases.py       the cases of spec/vectors, and their results
experiment.py  trio: all matches in parallel, and their combined results

Parts for one game belong to the game: `referee.games.interface.probing.Probes`.
"""

from referee.conformance.referee_side.cases import RefereeCase, load_referee_cases
from referee.conformance.referee_side.experiment import check_referee
from referee.conformance.referee_side.template import Template

__all__ = ["RefereeCase", "Template", "check_referee", "load_referee_cases"]

"""A single match: its settings, the state machine that plays it, and its result.

These modules don't start any processes or write any files.

limits.py    the limits of a bot
sandbox.py   how a bot's processes are isolated
spec.py      the description of a match: game, bots, seed, options, limits
position.py  a position in a recorded match, from which new matches can start
opening.py   draws the first replies of a match at random
players.py   players who choose legal moves at random
machine.py   the state machine: handshake, faults, outcome
messages.py  the messages that all games share
evidence.py  a bot's first lines and faults, for the report to its author
decode.py    parses a line from a bot into a reply or an `InvalidReply`
shapes.py    compares a message with its struct and describes the wrong fields
pages.py     reads the pages of spec/ by section, so that we can quote the rules
result.py    the result as a single object
"""

"""One match: its description, its course and its result. Pure, without I/O.

limits.py    the limits of a bot
sandbox.py   the isolation of a bot's processes
spec.py      the description of a match: game, bots, seed, options, limits
position.py  a turn of a recorded match, as the start of new matches
machine.py   the match as a state machine: handshake, faults, outcome
messages.py  the messages that all games share
decode.py    parse one line of a bot into a reply or an `InvalidReply`
shapes.py    compare a message with its struct and describe wrong fields
pages.py     the pages of spec/ by section, for quoting rules
result.py    the result as one object
"""

"""The interface of a bot, and the kinds of bots.

bot.py         a bot, as a match sees it: lines are pushed, a reply is awaited
bundled.py     the example bots that come with the referee
command.py     BOT argument -> command line or address
shell.py       the parts of a command line that only a shell obeys
folder.py      a folder with a `bot.toml`: a bot as its author submits it
digest.py      a digest of a bot's files, to notice changes
toml.py        the keys of a bot in TOML, there and in a configuration
building.py    building the bot in a folder
process_report.py  the traces of a bot that ended or did not answer
processes/     bots that are processes
address.py     the address of a bot behind HTTP
http.py        a bot behind HTTP
in_process.py  a bot that is a Python object
plain.py       a message as such a bot gets it without its line
only_game.py   the game of a BOT argument that exists in one game only
cpu_clock.py   its clock, if it wants one
person.py      a person as a bot
wrapper.py     bots that wrap another one; one whose first answers come from a record
repeat.py      the command that plays a match again
stand_in.py    a bot of the referee's own, for the seats of others
from_python.py the source of a bot that a Python program gives
dialect.py     a bot that speaks a dialect of its game
hosting.py     the bots of a match: made or borrowed, ended or released
portal.py      the same for a program without an event loop, in a thread with trio
"""

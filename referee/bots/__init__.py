"""The interface of a bot, and the kinds of bots.

bot.py         a bot as a match sees it: send lines, wait for a reply
bundled.py     the example bots that come with the referee
command.py     BOT argument -> command line or address
shell.py       detects syntax of a command line that only a shell understands
folder.py      a folder with a `bot.toml`: a bot as its author submits it
digest.py      a digest of a bot's files, to notice changes
toml.py        the keys of a bot in TOML, in its `bot.toml` or a configuration
building.py    builds the bot in a folder
process_report.py  the output and state of a process that exited or did not reply
processes/     bots that are processes
address.py     the address of a bot behind HTTP
http.py        a bot behind HTTP
in_process.py  a bot that is a Python object
plain.py       messages for such bots, as dicts instead of lines
only_game.py   the game of a BOT argument that exists in one game only
cpu_clock.py   limits the CPU time of bots in this process
person.py      a person as a bot
wrapper.py     bots that wrap another one, such as one with recorded replies
repeat.py      the command that plays a match again
stand_in.py    bots that fill other seats
from_python.py bots that a Python program passes
dialect.py     a bot that speaks a dialect of its game
hosting.py     the bots of a match: start or borrow, stop or release
portal.py      the same for a program without an event loop, in a thread with trio
"""

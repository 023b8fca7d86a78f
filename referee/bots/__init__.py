"""The interface of a bot, and the kinds of bots.

bot.py         the `Bot` interface: send lines, wait for replies, stop the bot
bundled.py     the example bots that come with the referee
command.py     finds the program, address or object that a BOT argument names
shell.py       detects shell syntax in a command line, since no shell runs it
folder.py      reads a submitted bot, which is a folder with a `bot.toml`
digest.py      hashes a bot's files, so that a tournament notices changes
toml.py        reads a `bot.toml`, or a `[[bot]]` table of a configuration
building.py    builds a submitted bot in a sandbox
process_report.py  data about a process that exited or didn't reply
processes/     bots that are processes
address.py     parses the URL of a bot behind HTTP
http.py        bots behind HTTP
in_process.py  bots that are Python objects in this process
plain.py       converts messages to dicts, for bots in this process
only_game.py   guesses the game from a BOT argument
cpu_clock.py   limits the CPU time of bots in this process
person.py      a person as a bot
wrapper.py     bots that wrap another bot, e.g. to replay recorded replies
repeat.py      the command that plays a match again
stand_in.py    bots for seats that nobody plays
from_python.py bots that a Python program passes
dialect.py     translates for a bot that speaks a dialect of its game
hosting.py     starts the bots of a match or takes them from a pool, and stops them
portal.py      runs bots for a program that has no event loop
"""

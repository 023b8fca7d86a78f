"""What a bot is, to the referee, and what it can be made of.

bot.py         a bot, as a match sees it: lines are pushed, a reply is awaited
bundled.py     the example bots that come with the referee
command.py     BOT argument -> command line or address
launch.py      command line -> process in a group of its own; ending the group
orphans.py     finding what a bot has started outside its group
guardian.py    ending the bots of a referee that was killed
stderr.py      what a bot said on stderr: kept up to a cap
process.py     a bot that is a process: lines with exact caps and deadlines
http.py        a bot that is asked over HTTP
in_process.py  a bot that is a Python object
from_python.py what a Python program gives as a bot -> where it comes from
dialect.py     a bot that speaks a dialect of its game
hosting.py     the bots of a match under trio: made, and ended on every way out
threaded.py    the same in a thread, for a program without an event loop
"""

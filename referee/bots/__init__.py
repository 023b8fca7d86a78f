"""What a bot is, to the referee: a command line, then a process, then lines.

bundled.py   the example bots that come with the referee
command.py   BOT argument -> command line
launch.py    command line -> process in a group of its own; ending the group
orphans.py   finding what a bot has started outside its group
guardian.py  ending the bots of a referee that was killed
stderr.py    what a bot said on stderr: kept up to a cap
process.py   the process under trio: lines with exact caps and deadlines
"""

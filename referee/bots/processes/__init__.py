"""Bots that are processes.

launch.py    command line -> process in a group of its own; ending the group
guardian.py  ending the bots of a referee that was killed
prctl.py     what a process can ask of Linux about itself
orphans.py   what a bot has started outside its group
cpu.py       what a process does with the processor
stderr.py    what a bot said on stderr: kept up to a cap
process.py   a `Bot`: lines with exact caps and deadlines
pool.py      processes that wait for another match
"""

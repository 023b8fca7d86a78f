"""Bots that are processes.

launch.py       command line -> process in a group of its own; ending the group
program.py      a program as the system looks at it before it runs it
sandbox.py      a command line in a sandbox, and what of the machine is inside
seccomp.py      the system calls that a bot cannot make there
confinement.py  the limits that the system holds a bot to from its start
cgroups.py      those of all of a bot's processes together, and counters
guardian.py     ending the bots of a referee that was killed
prctl.py        what a process can ask of Linux about itself
orphans.py      what a bot has started outside its group
cpu.py          what a process does with the processor
stderr.py       what a bot said on stderr: kept up to a cap
piped.py        a bot's process: lines with exact caps and deadlines
process.py      a `Bot`: the same under trio
polling.py      waiting for bots without an event loop
pool.py         processes that wait for another match
"""

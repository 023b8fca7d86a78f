"""Bots that are processes.

launch.py       starts a bot's process, and kills it together with its process group
program.py      explains why the system can't run a program
place.py        chooses the folder in which a bot starts, if there's no sandbox
sandbox.py      runs a command line in a sandbox, and shows it the files that it needs
seccomp.py      filters system calls in a sandbox
confinement.py  sets the limits that the system enforces
cgroups.py      limits and counts all processes of a bot together, with control groups
stopping.py     stops all processes of a bot that has no control group
stop_inside.py  a separate program that does this from inside the sandbox
memory.py       measures the memory of a bot that has no control group
guardian.py     kills the bots if the referee itself is killed
prctl.py        settings of our own process that only Linux has
orphans.py      finds processes that bots have started outside of their group
cpu.py          measures how much CPU time a process uses
stderr.py       stores the stderr of a bot, up to a maximum size
output.py       splits the output of a bot into lines and checks its limits; no I/O
process.py      makes a `Bot` out of a process, with deadlines, under trio
pool.py         keeps processes for the next match
"""

"""Bots that are processes.

launch.py       command line -> process in a group of its own; ending the group
program.py      checks of a program, as the system makes them
place.py        the folder in which a bot without a sandbox starts
sandbox.py      a command line in a sandbox, and the files that are visible there
seccomp.py      the system calls that a bot cannot make there
confinement.py  the limits that the system enforces on a bot from its start
cgroups.py      limits of all processes of a bot together, and counters
stopping.py     stopping all processes of a bot without a control group
stop_inside.py  the same from inside its sandbox; a program of its own
memory.py       the memory of all processes of a bot, where no group counts it
guardian.py     ending the bots of a referee that was killed
prctl.py        requests of a process to Linux about itself
orphans.py      processes that a bot has started outside its group
cpu.py          the CPU activity of a process
stderr.py       what a bot said on stderr: kept up to a cap
output.py       what a bot writes, as lines with exact limits; pure
process.py      a `Bot`: a process with deadlines, under trio
pool.py         processes that wait for another match
"""

"""Bots that are processes.

launch.py       starts a command line in its own process group, and kills that group
program.py      checks a program like the system does before running it
place.py        the folder in which a bot without a sandbox starts
sandbox.py      a command line in a sandbox, and the files visible there
seccomp.py      the system calls that are denied in a sandbox
confinement.py  the limits that the system enforces from the start of a bot
cgroups.py      limits of all processes of a bot together, and counters
stopping.py     stops all processes of a bot without a control group
stop_inside.py  the same from inside its sandbox; a program of its own
memory.py       measures the memory of a bot without a control group
guardian.py     kills the bots of a referee that was killed
prctl.py        requests of a process to Linux about itself
orphans.py      processes that a bot has started outside its group
cpu.py          the CPU activity of a process
stderr.py       the stderr of a bot, up to a maximum size
output.py       the output of a bot as lines with exact limits; no I/O
process.py      a `Bot`: a process with deadlines, under trio
pool.py         processes that wait for another match
"""

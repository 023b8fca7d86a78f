"""Runs hostile.py from byte code, because compiling it takes longer than most of its modes run."""

import sys

sys.path.insert(0, __file__.rpartition("/")[0])

from hostile import main

main()

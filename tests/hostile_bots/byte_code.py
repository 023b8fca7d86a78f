"""Starts hostile.py as byte code: to compile it takes longer than all else that most modes do."""

import sys

sys.path.insert(0, __file__.rpartition("/")[0])

from hostile import main

main()

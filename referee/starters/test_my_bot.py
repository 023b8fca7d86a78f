"""Checks that My Bot keeps to the protocol."""

import subprocess
import unittest
from pathlib import Path


class TestMyBot(unittest.TestCase):
    def test_it_conforms(self):
        command = "referee {conform} {bot}"
        done = subprocess.run(command, shell=True, cwd=Path(__file__).parent)
        assert done.returncode == 0, f"My Bot does not conform: see above what {command} says"


if __name__ == "__main__":
    unittest.main()

"""The version of the package.

This module imports nothing, so every other module can import it.
"""

__version__ = "0.1.0"

"""Contains the version of the package.

This module has no imports, so that every other module can import it.
"""

__version__ = "0.1.0"

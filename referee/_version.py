"""The version of the package, in a module so light that everybody can import it."""

__version__ = "0.1.0"

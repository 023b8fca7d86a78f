"""Text for people.

terminal.py    styles, widths, escaping of untrusted text
html.py        renders HTML pages
junit.py       writes JUnit XML
encoding.py    detects files that aren't UTF-8
lookalikes.py  detects names that look alike
nearest.py     suggests names for misspelt ones
"""

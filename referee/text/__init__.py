"""Text for people.

terminal.py    styles, widths, escaping of untrusted text
html.py        pages from templates
junit.py       JUnit XML for build servers
encoding.py    detects text that is not UTF-8
lookalikes.py  names that look alike
nearest.py     suggestions for misspelt names
"""

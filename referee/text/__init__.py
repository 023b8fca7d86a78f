"""Text for people.

terminal.py    styles, widths, what strangers wrote made harmless
html.py        pages from templates
junit.py       JUnit XML, as build servers read it
encoding.py    text that is not UTF-8
lookalikes.py  names that look alike
nearest.py     what a misspelt name may have meant
"""

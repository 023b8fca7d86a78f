"""Pages with text and tables: the same on a server, in a folder and in a file, but for their links.

pages.py   renders them from templates/
links.py   the addresses that a page may link to
charts.py  layout of charts; templates/ draw them as SVG
"""

"""Matches and tournaments in a browser.

server/  folders of records and stores of tournaments, as pages
"""

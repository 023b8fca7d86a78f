"""Who plays whom. Pure: the same for ever, for stores that are gone on with.

line_ups.py  line-ups of three and more bots in which every pair meets as often as any other
swiss.py     one round of a Swiss tournament
pairing.py   the deals of a round robin and of a gauntlet, on which seed and in which seats
"""

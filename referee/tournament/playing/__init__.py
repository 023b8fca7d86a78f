"""The matches of a tournament, played.

batch.py        some matches, to be played one after the other by a worker
task.py         the call that a worker gets with a batch
worker.py       plays it, and keeps the bots that wait for another match
dispatcher.py   gives batches to workers; finds bots that kill them
cluster.py      workers on other machines, by Dask
on_worker.py    what runs there
directories.py  bots' directories, sent there
live.py         the record of a match while it is played
run.py          what is missing is played, and comes into the store
check.py        matches of a store, run or played again
"""

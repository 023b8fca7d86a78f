#!/usr/bin/env python3
"""The gatherer as an HTTP server: `http_gatherer.py [PORT]`; start it, then play against it.

It understands all that a bot behind HTTP can be sent, so it can be played with in three ways:
`referee play --game botwars http://127.0.0.1:8080/ random_walker`,
or with `classic:http://127.0.0.1:8080/` or `classic-form:http://127.0.0.1:8080/`.
It remembers nothing, so it can play many matches at once.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs


def steps(state, cell):
    """The cells next to a cell: above, below, left, right; none outside the grid."""
    rows, cols = state["rows"], state["cols"]
    row, column = divmod(cell, cols)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * cols + c for r, c in around if 0 <= r < rows and 0 <= c < cols]


def choose_moves(state, me):
    grid, cols = state["grid"], state["cols"]

    def distance(cell, goal):
        return abs(cell // cols - goal // cols) + abs(cell % cols - goal % cols)

    energy = [cell for cell, what in enumerate(grid) if what == "*"]
    moves = []
    planned = set()  # cells that a botlet is about to enter
    for cell in [cell for cell, what in enumerate(grid) if what == me]:
        goal = min(energy, key=lambda goal: distance(cell, goal), default=None)
        if goal is None:
            continue
        free = [to for to in steps(state, cell) if grid[to] in ".x" and to not in planned]
        to = min(free, key=lambda to: distance(to, goal), default=cell)
        if distance(to, goal) < distance(cell, goal):
            planned.add(to)
            moves.append({"from": cell, "to": to})
    return moves


def answer(body, content_type):
    """What a POST is answered with, as a JSON value; None: nothing was asked."""
    if content_type.startswith("application/x-www-form-urlencoded"):
        body = parse_qs(body)["data"][0]
    last = body.rstrip("\n").split("\n")[-1]  # canonical: all lines that are new, the request last
    message = json.loads(last)
    match message.get("type"):
        case None:  # classic
            return choose_moves(message["state"], message["player"])
        case "player-name-request":
            return {
                "type": "player-name-reply",
                "player_number": message["player_number"],
                "name": "HTTP Gatherer",
                "version": 1,
            }
        case "move-request":
            moves = choose_moves(message["state"], message["player"])
            return {"type": "move-reply", "moves": moves}


class Handler(BaseHTTPRequestHandler):
    """Answers each POST."""

    protocol_version = "HTTP/1.1"  # the connection stays open for the next turn
    disable_nagle_algorithm = True  # the answer leaves at once

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        reply = answer(body, self.headers.get("Content-Type", ""))
        data = b"" if reply is None else json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass  # no line on standard error for each turn


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()

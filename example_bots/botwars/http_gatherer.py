#!/usr/bin/env python3
"""The gatherer as an HTTP server: run `http_gatherer.py [PORT]`, then play against it.

It understands all three ways of sending requests to a bot behind HTTP, so you can play
`referee play --game botwars http://127.0.0.1:8080/ random_walker`,
or use `classic:http://127.0.0.1:8080/` or `classic-form:http://127.0.0.1:8080/`.
It stores nothing, so it can play many matches at once.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs


def steps(state, cell):
    """Return the cells above, below, left and right of a cell that are inside the grid."""
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
    planned = set()  # cells that our botlets will move to
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
    """Return the response to a POST as a JSON value, or None if the body has no request."""
    if content_type.startswith("application/x-www-form-urlencoded"):
        body = parse_qs(body)["data"][0]
    last = body.rstrip("\n").split("\n")[-1]  # in canonical form, news comes before the request
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
    """Responds to POST requests."""

    protocol_version = "HTTP/1.1"  # keep the connection open for the next turn
    disable_nagle_algorithm = True  # send the response immediately

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
        pass  # don't write a line to stderr for every turn


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()

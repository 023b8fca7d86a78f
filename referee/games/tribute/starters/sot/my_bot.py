"""A bot of Scripts of Tribute that takes what is offered first, for the engine's Python library."""

from scripts_of_tribute.base_ai import BaseAI


class MyBot(BaseAI):
    def pregame_prepare(self):
        """A match begins."""

    def select_patron(self, available_patrons):
        return available_patrons[0]

    def play(self, game_state, possible_moves, remaining_time):
        # game_state.apply_move(move) simulates a move; remaining_time is that of the turn, in ms.
        return possible_moves[0]  # the last action is always the end of the turn

    def game_end(self, end_game_state, final_state):
        """The match is over; prints go to stderr."""

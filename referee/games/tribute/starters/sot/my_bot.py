"""A bot for the Python library of Scripts of Tribute that takes the first possible move."""

from scripts_of_tribute.base_ai import BaseAI


class MyBot(BaseAI):
    def pregame_prepare(self):
        """Prepare for a match."""

    def select_patron(self, available_patrons):
        return available_patrons[0]

    def play(self, game_state, possible_moves, remaining_time):
        # game_state.apply_move(move) simulates a move. remaining_time: ms left in the turn.
        return possible_moves[0]  # the last action is always the end of the turn

    def game_end(self, end_game_state, final_state):
        """Read the result of the match. Output of print() goes to stderr."""

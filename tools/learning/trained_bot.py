"""A bot that plays the model beside it: `my_bot.py` plays `my_bot.zip`."""

from pathlib import Path

from sb3_contrib import MaskablePPO

from referee.env import PolicyBot

model = MaskablePPO.load(Path(__file__).with_suffix(".zip"), device="cpu")


def policy(seen):
    action, _ = model.predict(seen, action_masks=seen["action_mask"], deterministic=True)
    return int(action)


PolicyBot(policy, name="Trained Bot", normalised=True).run()

# My first Dominion bot: buys the best card it can afford.
import json
import sys

WORTH = {"copper": 1, "silver": 2, "gold": 3}
COSTS = {"province": 8, "gold": 6, "mine": 5, "silver": 3}

supply = {}
me = ""
mines = 0


def send(reply):
    print(json.dumps(reply), flush=True)


def choose_cards(money, buys):
    cards = []
    while buys > 0:
        best = None
        for card in COSTS:
            # one mine is enough
            if card == "mine" and mines + cards.count("mine") > 0:
                continue
            if COSTS[card] <= money and supply[card] - cards.count(card) > 0:
                best = card
                break
        if best is None:
            break
        cards.append(best)
        money -= COSTS[best]
        buys -= 1
    return cards


def play_turn(message):
    hand = message["hand"]
    # a mine makes silver out of copper
    if message["actions"] > 0 and "mine" in hand and "copper" in hand and supply["silver"] > 0:
        reply = {"type": "play-reply", "phase": "action", "card": "mine"}
        reply["additional_parameters"] = {"card_to_trash": "copper", "desired_card": "silver"}
        send(reply)
        return
    if message["buys"] == 0:
        # nothing left to buy
        reply = {"type": "play-reply", "phase": "cleanup"}
        if message["cards_played"]:
            reply["top_discard"] = message["cards_played"][0]
        send(reply)
        return
    treasures = [card for card in hand if card in WORTH]
    money = message["extra_money"]
    for card in treasures:
        money += WORTH[card]
    reply = {"type": "play-reply", "phase": "buy"}
    reply["played_treasures"] = treasures
    reply["cards_to_buy"] = choose_cards(money, message["buys"])
    send(reply)


def attacked(message):
    # throw away the useless cards first
    order = ["curse", "estate", "duchy", "province", "copper", "silver", "gold"]
    cards = sorted(message["options"], key=lambda card: order.index(card) if card in order else 5)
    send({"type": "attack-reply", "discard": cards[: message["discard"]]})


def main():
    global me, mines
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "player-name-request":
            me = message["player_number"]
            reply = {"type": "player-name-reply", "player_number": me}
            reply["name"] = "My Bot"
            reply["version"] = 1
            send(reply)
        elif kind == "supply-info":
            for pile in message["cards"]:
                supply[pile["card"]] = pile["count"]
        elif kind == "player-gained":
            if message["player_number"] == me and message["gained"] == "mine":
                mines += 1
        elif kind == "play-turn":
            play_turn(message)
        elif kind == "attack-request":
            attacked(message)


main()

// A bot for Dominion that buys provinces, gold and silver. README.md says how to play it.
package main

import (
	"encoding/json"
	"os"
)

const name = "My Bot"

var worth = map[string]int{"copper": 1, "silver": 2, "gold": 3}
var cost = map[string]int{"province": 8, "gold": 6, "silver": 3}
var wanted = []string{"province", "gold", "silver"} // what it buys, best first
var supply = map[string]int{}                       // card -> how many are left

// A message is kept by field, so that whatever else the referee sends is no error.
type message map[string]json.RawMessage

func get[T any](m message, field string) (value T) {
	json.Unmarshal(m[field], &value) // what is missing is zero or empty
	return value
}

// choose says what to buy: one card at most.
func choose(money int) []string {
	for _, card := range wanted {
		if cost[card] <= money && supply[card] > 0 {
			return []string{card}
		}
	}
	return []string{}
}

// playTurn is your turn: play a card, buy, or end the turn. You are asked until you end it.
func playTurn(turn message) any {
	if get[int](turn, "buys") == 0 {
		return map[string]any{"type": "play-reply", "phase": "cleanup"}
	}
	treasures := []string{}
	money := get[int](turn, "extra_money")
	for _, card := range get[[]string](turn, "hand") {
		if worth[card] > 0 {
			treasures = append(treasures, card)
			money += worth[card]
		}
	}
	return map[string]any{"type": "play-reply", "phase": "buy",
		"played_treasures": treasures, "cards_to_buy": choose(money)}
}

// discard answers another player's militia: discard so many cards of your hand.
func discard(options []string, count int) any {
	return map[string]any{"type": "attack-reply", "discard": options[:count]}
}

func main() {
	input, output := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var m message
		if input.Decode(&m) != nil {
			return // the referee has no more to say
		}
		switch get[string](m, "type") {
		case "player-name-request": // a match begins; it may not be the first
			output.Encode(map[string]any{"type": "player-name-reply", "name": name, "version": 1,
				"player_number": m["player_number"], "keep_alive": true})
		case "supply-info":
			for _, pile := range get[[]message](m, "cards") {
				supply[get[string](pile, "card")] = get[int](pile, "count")
			}
		case "play-turn":
			output.Encode(playTurn(m))
		case "attack-request":
			output.Encode(discard(get[[]string](m, "options"), get[int](m, "discard")))
		}
		// All other types are news about the game, or newer than this bot: not an error.
	}
}

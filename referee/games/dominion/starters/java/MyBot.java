// A bot for Dominion that buys provinces, gold and silver. README.md says how to play it.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class MyBot {
    static final String NAME = "My Bot";
    static final Map<String, Integer> WORTH = Map.of("copper", 1, "silver", 2, "gold", 3);
    static final Map<String, Integer> COST = Map.of("province", 8, "gold", 6, "silver", 3);
    static final List<String> WANTED = List.of("province", "gold", "silver"); // best first

    static Map<String, Integer> supply = new HashMap<>(); // card -> how many are left

    /** The cards to buy: one at most. */
    static List<String> choose(int money) {
        for (String card : WANTED) {
            if (COST.get(card) <= money && supply.get(card) > 0) {
                return List.of(card);
            }
        }
        return List.of();
    }

    /** Your turn: play a card, buy, or end the turn. You are asked until you end it. */
    static String playTurn(String turn) {
        if (number(turn, "buys") == 0) {
            return "{\"type\":\"play-reply\",\"phase\":\"cleanup\"}";
        }
        List<String> treasures = new ArrayList<>();
        int money = number(turn, "extra_money");
        for (String card : cards(turn, "hand")) {
            if (WORTH.containsKey(card)) {
                treasures.add(card);
                money += WORTH.get(card);
            }
        }
        return "{\"type\":\"play-reply\",\"phase\":\"buy\",\"played_treasures\":" + list(treasures)
                + ",\"cards_to_buy\":" + list(choose(money)) + "}";
    }

    /** Another player's militia: discard so many cards of your hand. */
    static String discard(List<String> options, int count) {
        List<String> discarded = options.stream().limit(count).toList();
        return "{\"type\":\"attack-reply\",\"discard\":" + list(discarded) + "}";
    }

    /** The reply to a message, or null: most are news about the game. */
    static String answer(String message) {
        switch (text(field(message, "type"))) {
            case "player-name-request": // a match begins; it may not be the first
                return "{\"type\":\"player-name-reply\",\"player_number\":"
                        + field(message, "player_number") + ",\"name\":\"" + NAME
                        + "\",\"version\":1,\"keep_alive\":true}";
            case "supply-info":
                for (String pile : parts(field(message, "cards"))) {
                    supply.put(text(field(pile, "card")), number(pile, "count"));
                }
                return null;
            case "play-turn":
                return playTurn(message);
            case "attack-request":
                return discard(cards(message, "options"), number(message, "discard"));
            default:
                return null;
        }
    }

    public static void main(String[] args) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        // One that is cut off in the middle is no message: the referee is gone.
        while ((line = input.readLine()) != null && line.endsWith("}")) {
            String reply = answer(line);
            if (reply != null) {
                System.out.println(reply);
                System.out.flush(); // without it the referee waits in vain
            }
        }
    }

    // Java comes without JSON. This reads what the referee sends: compact, one object a line.
    // If you use a library instead, such as Gson, all that follows can go.

    /** The members of an object, or the entries of a list, each as JSON. */
    static List<String> parts(String json) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 1;
        boolean quoted = false;
        for (int at = 0; at < json.length(); at++) {
            char c = json.charAt(at);
            if (quoted && c == '\\') {
                at++; // whatever is escaped ends no string
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == '{' || c == '[')) {
                depth++;
            } else if (!quoted && (c == '}' || c == ']')) {
                depth--;
            }
            if (!quoted && (depth == 0 || depth == 1 && c == ',')) {
                if (at > start) {
                    parts.add(json.substring(start, at));
                }
                start = at + 1;
            }
        }
        return parts;
    }

    /** A field's value as JSON; empty if it is missing. */
    static String field(String object, String name) {
        String start = "\"" + name + "\":";
        for (String part : parts(object)) {
            if (part.startsWith(start)) {
                return part.substring(start.length());
            }
        }
        return "";
    }

    static String text(String json) {
        return json.replace("\"", ""); // types and cards have no escapes
    }

    static int number(String object, String name) {
        String json = field(object, name);
        return json.isEmpty() ? 0 : Integer.parseInt(json);
    }

    static List<String> cards(String object, String name) {
        return parts(field(object, name)).stream().map(MyBot::text).toList();
    }

    static String list(List<String> cards) {
        return cards.isEmpty() ? "[]" : "[\"" + String.join("\",\"", cards) + "\"]";
    }
}

// Big Money in Java: a template for a bot in Java 17 or newer.
//
// Build: not necessary. Java runs a single source file directly, and it needs no libraries.
// Run:   referee play "java BigMoney.java" big_money
//
// This compiles it at every start, which takes a second or more. If you play many matches, compile
// it once with `javac BigMoney.java`, then run "java -XX:-UsePerfData -cp . BigMoney". Without the
// option, a JVM may print a warning about performance data to standard output.
// It makes the same decisions as big_money.py: it buys provinces, gold and silver, never actions.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class BigMoney {
    static final Map<String, Integer> WORTH = Map.of("copper", 1, "silver", 2, "gold", 3);

    /** Cards to buy, best first. */
    static final List<String> WANTED = List.of("province", "gold", "silver");
    static final Map<String, Integer> COST = Map.of("province", 8, "gold", 6, "silver", 3);

    /** If the bot is attacked, it discards cards with low numbers first. */
    static final Map<String, Integer> KEEP = Map.of(
            "curse", 0, "estate", 0, "duchy", 0, "province", 0,
            "copper", 1, "silver", 3, "gold", 4);
    static final int KEEP_OTHERS = 2;

    private Map<String, Double> supply = new HashMap<>();

    public static void main(String[] args) throws IOException {
        var bot = new BigMoney();
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Object value;
            try {
                value = new Json(line).parse();
            } catch (IllegalArgumentException e) {
                continue; // not JSON, so it is not from the referee
            }
            if (!(value instanceof Map<?, ?> message)) {
                continue;
            }
            Map<String, Object> reply = bot.handle(message);
            if (reply != null) {
                System.out.print(Json.write(reply) + "\n");
                // A PrintStream does not throw. This flushes, and is true if the referee is gone.
                if (System.out.checkError()) {
                    break;
                }
            }
        }
    }

    /** Handles one message. Returns the reply, or null if the message needs none. */
    Map<String, Object> handle(Map<?, ?> message) {
        if (!(message.get("type") instanceof String type)) {
            return null;
        }
        switch (type) {
            case "player-name-request":
                var reply = new LinkedHashMap<String, Object>();
                reply.put("type", "player-name-reply");
                reply.put("player_number", message.get("player_number"));
                reply.put("name", "Big Money (Java)");
                reply.put("version", 1);
                reply.put("keep_alive", true);
                return reply;
            case "supply-info":
                supply = new HashMap<>();
                for (Object item : list(message.get("cards"))) {
                    if (item instanceof Map<?, ?> pile && pile.get("card") instanceof String card) {
                        supply.put(card, number(pile.get("count")));
                    }
                }
                return null;
            case "play-turn":
                return playTurn(message);
            case "attack-request":
                return attackReply(message);
            default:
                return null; // news, or a type that is newer than this bot
        }
    }

    Map<String, Object> playTurn(Map<?, ?> message) {
        var reply = new LinkedHashMap<String, Object>();
        reply.put("type", "play-reply");
        double buys = number(message.get("buys"));
        if (buys <= 0) {
            reply.put("phase", "cleanup");
            return reply;
        }
        var treasures = new ArrayList<String>();
        double money = number(message.get("extra_money"));
        for (Object item : list(message.get("hand"))) {
            if (item instanceof String card && WORTH.containsKey(card)) {
                treasures.add(card);
                money += WORTH.get(card);
            }
        }
        reply.put("phase", "buy");
        reply.put("played_treasures", treasures);
        reply.put("cards_to_buy", chooseBuys(money, buys));
        return reply;
    }

    /** Returns the cards to buy. Each buy goes to the best card that is still affordable. */
    List<String> chooseBuys(double money, double buys) {
        var left = new HashMap<>(supply);
        var bought = new ArrayList<String>();
        while (bought.size() < buys) {
            String best = null;
            for (String card : WANTED) {
                if (COST.get(card) <= money && left.getOrDefault(card, 0.0) > 0) {
                    best = card;
                    break;
                }
            }
            if (best == null) {
                break;
            }
            bought.add(best);
            money -= COST.get(best);
            left.merge(best, -1.0, Double::sum);
        }
        return bought;
    }

    Map<String, Object> attackReply(Map<?, ?> message) {
        var byUse = new ArrayList<Object>(list(message.get("options")));
        // Equal cards keep their order, because the sort is stable.
        byUse.sort(Comparator.comparingInt(card -> KEEP.getOrDefault(card, KEEP_OTHERS)));
        int discard = Math.min((int) number(message.get("discard")), byUse.size());
        var reply = new LinkedHashMap<String, Object>();
        reply.put("type", "attack-reply");
        reply.put("discard", byUse.subList(0, Math.max(discard, 0)));
        return reply;
    }

    static double number(Object value) {
        return value instanceof Double number ? number : 0;
    }

    static List<?> list(Object value) {
        return value instanceof List<?> items ? items : List.of();
    }

    /** Parses a JSON text to Map, List, String, Double, Boolean and null, and writes JSON. */
    static final class Json {
        /** Deeper nesting is an error, since the parser is recursive and could overflow the stack. */
        static final int MAX_DEPTH = 500;

        private final String text;
        private int at = 0;

        Json(String text) {
            this.text = text;
        }

        Object parse() {
            Object value = value(0);
            skipSpace();
            if (at < text.length()) {
                throw bad();
            }
            return value;
        }

        private IllegalArgumentException bad() {
            return new IllegalArgumentException("no JSON at " + at);
        }

        private void skipSpace() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        /** Returns the next character without consuming it, or NUL at the end. */
        private char peek() {
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private boolean take(char wanted) {
            skipSpace();
            if (peek() != wanted || at >= text.length()) {
                return false;
            }
            at++;
            return true;
        }

        private void expect(char wanted) {
            if (!take(wanted)) {
                throw bad();
            }
        }

        private Object value(int depth) {
            if (depth > MAX_DEPTH) {
                throw bad();
            }
            skipSpace();
            switch (peek()) {
                case '{':
                    return object(depth);
                case '[':
                    return array(depth);
                case '"':
                    return string();
                case 't':
                    return word("true", Boolean.TRUE);
                case 'f':
                    return word("false", Boolean.FALSE);
                case 'n':
                    return word("null", null);
                default:
                    return number();
            }
        }

        private Object word(String word, Object value) {
            if (!text.startsWith(word, at)) {
                throw bad();
            }
            at += word.length();
            return value;
        }

        private Map<String, Object> object(int depth) {
            var members = new HashMap<String, Object>();
            expect('{');
            if (take('}')) {
                return members;
            }
            do {
                skipSpace();
                String key = string();
                expect(':');
                members.put(key, value(depth + 1)); // if a key is repeated, the last one counts
            } while (take(','));
            expect('}');
            return members;
        }

        private List<Object> array(int depth) {
            var items = new ArrayList<Object>();
            expect('[');
            if (take(']')) {
                return items;
            }
            do {
                items.add(value(depth + 1));
            } while (take(','));
            expect(']');
            return items;
        }

        private String string() {
            if (peek() != '"') {
                throw bad();
            }
            at++;
            var out = new StringBuilder();
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '"') {
                    return out.toString();
                }
                if (c < ' ') {
                    throw bad();
                }
                out.append(c == '\\' ? escaped() : c);
            }
            throw bad();
        }

        private char escaped() {
            char c = peek();
            at++;
            switch (c) {
                case '"':
                case '\\':
                case '/':
                    return c;
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
                case 'u':
                    // Surrogate pairs need no special case, because Java strings use them, too.
                    int code = 0;
                    for (int i = 0; i < 4; i++, at++) {
                        int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
                        if (digit < 0) {
                            throw bad();
                        }
                        code = code * 16 + digit;
                    }
                    return (char) code;
                default:
                    throw bad();
            }
        }

        private Double number() {
            int start = at;
            if (peek() == '-') {
                at++;
            }
            if (peek() == '0') {
                at++;
            } else {
                digits();
            }
            if (peek() == '.') {
                at++;
                digits();
            }
            if (peek() == 'e' || peek() == 'E') {
                at++;
                if (peek() == '+' || peek() == '-') {
                    at++;
                }
                digits();
            }
            return Double.valueOf(text.substring(start, at));
        }

        private void digits() {
            int start = at;
            while (peek() >= '0' && peek() <= '9') {
                at++;
            }
            if (at == start) {
                throw bad();
            }
        }

        /** Writes a reply, which consists of maps, lists, strings, booleans and whole numbers. */
        static String write(Object value) {
            var out = new StringBuilder();
            write(value, out);
            return out.toString();
        }

        private static void write(Object value, StringBuilder out) {
            String separator = "";
            if (value instanceof Map<?, ?> members) {
                out.append('{');
                for (var member : members.entrySet()) {
                    out.append(separator);
                    writeString(member.getKey().toString(), out);
                    out.append(':');
                    write(member.getValue(), out);
                    separator = ",";
                }
                out.append('}');
            } else if (value instanceof List<?> items) {
                out.append('[');
                for (Object item : items) {
                    out.append(separator);
                    write(item, out);
                    separator = ",";
                }
                out.append(']');
            } else if (value instanceof String string) {
                writeString(string, out);
            } else {
                out.append(value);
            }
        }

        private static void writeString(String string, StringBuilder out) {
            out.append('"');
            for (int i = 0; i < string.length(); i++) {
                char c = string.charAt(i);
                if (c == '"' || c == '\\') {
                    out.append('\\').append(c);
                } else if (c < ' ' || c > '~') { // works with any console encoding
                    out.append(String.format("\\u%04x", (int) c));
                } else {
                    out.append(c);
                }
            }
            out.append('"');
        }
    }
}

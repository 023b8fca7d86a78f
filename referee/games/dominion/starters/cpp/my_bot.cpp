// A bot for Dominion that buys provinces, gold and silver. README.md says how to play it.

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using std::string;
using Cards = std::vector<string>;

const string NAME = "My Bot";
const std::map<string, int> WORTH = {{"copper", 1}, {"silver", 2}, {"gold", 3}};
const std::vector<std::pair<string, int>> COSTS = {  // what it buys, best first
    {"province", 8}, {"gold", 6}, {"silver", 3}};

std::map<string, int> supply;  // card -> how many are left

// C++ comes without JSON. This reads what the referee sends: compact, one object a line.
// If you use a library instead, such as nlohmann/json, the next five functions can go.

// The members of an object, or the entries of a list, each as JSON.
std::vector<string> parts(const string &json) {
    std::vector<string> found;
    int depth = 0;
    size_t start = 1;
    bool quoted = false;
    for (size_t at = 0; at < json.size(); at++) {
        char c = json[at];
        if (quoted && c == '\\') at++;  // whatever is escaped ends no string
        else if (c == '"') quoted = !quoted;
        else if (!quoted && (c == '{' || c == '[')) depth++;
        else if (!quoted && (c == '}' || c == ']')) depth--;
        if (!quoted && (depth == 0 || (depth == 1 && c == ','))) {
            if (at > start) found.push_back(json.substr(start, at - start));
            start = at + 1;
        }
    }
    return found;
}

// A field's value as JSON; empty if it is missing.
string field(const string &object, const string &name) {
    string start = "\"" + name + "\":";
    for (const string &part : parts(object))
        if (part.compare(0, start.size(), start) == 0) return part.substr(start.size());
    return "";
}

string text(const string &json) {  // types and cards have no escapes
    return json.size() < 2 ? "" : json.substr(1, json.size() - 2);
}

int number(const string &object, const string &name) {
    return std::atoi(field(object, name).c_str());
}

Cards cards(const string &object, const string &name) {
    Cards found;
    for (const string &card : parts(field(object, name))) found.push_back(text(card));
    return found;
}

string list(const Cards &cards) {
    string json;
    for (const string &card : cards) json += (json.empty() ? "\"" : ",\"") + card + "\"";
    return "[" + json + "]";
}

// The cards to buy: one at most.
Cards choose(int money) {
    for (const auto &[card, cost] : COSTS)
        if (cost <= money && supply[card] > 0) return {card};
    return {};
}

// Your turn: play a card, buy, or end the turn. You are asked until you end it.
string play_turn(const string &turn) {
    if (number(turn, "buys") == 0) return R"({"type":"play-reply","phase":"cleanup"})";
    Cards treasures;
    int money = number(turn, "extra_money");
    for (const string &card : cards(turn, "hand")) {
        if (WORTH.count(card) == 0) continue;
        treasures.push_back(card);
        money += WORTH.at(card);
    }
    return R"({"type":"play-reply","phase":"buy","played_treasures":)" + list(treasures) +
           R"(,"cards_to_buy":)" + list(choose(money)) + "}";
}

// Another player's militia: discard so many cards of your hand.
string discard(Cards options, int count) {
    options.resize(count);
    return R"({"type":"attack-reply","discard":)" + list(options) + "}";
}

// The reply to a message; empty for news about the game, or what is newer than this bot.
string answer(const string &message) {
    string type = text(field(message, "type"));
    if (type == "player-name-request")  // a match begins; it may not be the first
        return R"({"type":"player-name-reply","player_number":)" +
               field(message, "player_number") + R"(,"name":")" + NAME +
               R"(","version":1,"keep_alive":true})";
    if (type == "supply-info")
        for (const string &pile : parts(field(message, "cards")))
            supply[text(field(pile, "card"))] = number(pile, "count");
    if (type == "play-turn") return play_turn(message);
    if (type == "attack-request")
        return discard(cards(message, "options"), number(message, "discard"));
    return "";
}

int main() {
    // A line that is cut off in the middle is no message: the referee is gone.
    for (string line; std::getline(std::cin, line) && !std::cin.eof();) {
        string reply = answer(line);
        if (!reply.empty()) std::cout << reply << std::endl;  // endl: written at once
    }
}

/* A bot for Dominion that buys provinces, gold and silver. README.md says how to play it. */

#define _POSIX_C_SOURCE 200809L /* for getline */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "My Bot"

/* What it buys, best first, and how many are left. */
static struct { const char *card; int cost, left; } wanted[] = {
    {"province", 8, 0}, {"gold", 6, 0}, {"silver", 3, 0}};
static const size_t WANTED = sizeof wanted / sizeof *wanted;

/* C comes without JSON. This reads what the referee sends, compact, one object a line, where it
   stands in the line. If you use a library instead, such as cJSON, the next five functions can go. */

/* The first entry of a list, or member of an object; NULL if there is none. */
static const char *first(const char *json)
{
    return *json == '\0' || json[1] == ']' || json[1] == '}' ? NULL : json + 1;
}

/* Where the one that begins here ends: at a comma or the end of the list or object. */
static const char *end(const char *json)
{
    bool quoted = false;
    for (int depth = 0; *json != '\0'; json++) {
        if (quoted && *json == '\\' && json[1] != '\0') json++; /* whatever it is, no end */
        else if (*json == '"') quoted = !quoted;
        else if (quoted) continue;
        else if (*json == '{' || *json == '[') depth++;
        else if (depth == 0 && strchr(",]}", *json)) break;
        else if (*json == '}' || *json == ']') depth--;
    }
    return json;
}

static const char *next(const char *json)
{
    json = end(json);
    return *json == ',' ? json + 1 : NULL;
}

/* Whether this is that string. Types and cards have no escapes. */
static bool is(const char *json, const char *text)
{
    size_t length = strlen(text);
    return json[0] == '"' && strncmp(json + 1, text, length) == 0 && json[length + 1] == '"';
}

/* A field's value; "" if it is missing. */
static const char *field(const char *object, const char *name)
{
    for (const char *member = first(object); member != NULL; member = next(member))
        if (is(member, name)) return member + strlen(name) + 3;
    return "";
}

static int worth(const char *card)
{
    return is(card, "copper") ? 1 : is(card, "silver") ? 2 : is(card, "gold") ? 3 : 0;
}

/* What to buy, or NULL. */
static const char *choose(int money)
{
    for (size_t i = 0; i < WANTED; i++)
        if (wanted[i].cost <= money && wanted[i].left > 0) return wanted[i].card;
    return NULL;
}

/* Your turn: play a card, buy, or end the turn. You are asked until you end it. */
static void play_turn(const char *turn)
{
    int money = atoi(field(turn, "extra_money"));
    const char *comma = "";
    if (atoi(field(turn, "buys")) == 0) {
        puts("{\"type\":\"play-reply\",\"phase\":\"cleanup\"}");
        return;
    }
    printf("{\"type\":\"play-reply\",\"phase\":\"buy\",\"played_treasures\":[");
    for (const char *card = first(field(turn, "hand")); card != NULL; card = next(card)) {
        if (worth(card) == 0) continue;
        printf("%s%.*s", comma, (int)(end(card) - card), card);
        comma = ",";
        money += worth(card);
    }
    const char *card = choose(money);
    if (card != NULL) printf("],\"cards_to_buy\":[\"%s\"]}\n", card);
    else puts("],\"cards_to_buy\":[]}");
}

/* Another player's militia: discard so many cards of your hand. */
static void discard(const char *options, int count)
{
    const char *comma = "";
    printf("{\"type\":\"attack-reply\",\"discard\":[");
    for (const char *card = first(options); card != NULL && count > 0; card = next(card), count--) {
        printf("%s%.*s", comma, (int)(end(card) - card), card);
        comma = ",";
    }
    puts("]}");
}

/* Takes a message; all but these are news about the game, or newer than this bot: not an error. */
static void answer(const char *message)
{
    const char *type = field(message, "type"), *seat = field(message, "player_number");
    if (is(type, "player-name-request")) { /* a match begins; it may not be the first */
        printf("{\"type\":\"player-name-reply\",\"player_number\":%.*s,\"name\":\"" NAME "\","
               "\"version\":1,\"keep_alive\":true}\n", (int)(end(seat) - seat), seat);
    } else if (is(type, "supply-info")) {
        const char *pile = first(field(message, "cards"));
        for (; pile != NULL; pile = next(pile))
            for (size_t i = 0; i < WANTED; i++)
                if (is(field(pile, "card"), wanted[i].card))
                    wanted[i].left = atoi(field(pile, "count"));
    } else if (is(type, "play-turn")) {
        play_turn(message);
    } else if (is(type, "attack-request")) {
        discard(field(message, "options"), atoi(field(message, "discard")));
    }
    fflush(stdout); /* without it the referee waits in vain */
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    /* A line that is cut off in the middle is no message: the referee is gone. */
    for (ssize_t length; (length = getline(&line, &size, stdin)) > 0 && line[length - 1] == '\n';)
        answer(line);
    free(line);
}

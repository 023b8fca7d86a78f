/* Big Money in C: a template for a bot in C99.
 *
 * Build: cc -O2 -o big_money big_money.c
 * Run:   referee play ./big_money big_money
 *
 * It makes the same decisions as big_money.py: it buys provinces, gold and silver, never actions.
 * The file has three parts: a small JSON reader, functions that write replies, and the bot.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- JSON reader */

enum { MAX_DEPTH = 500 }; /* deeper nesting is refused: each level takes a piece of the stack */

enum kind { OTHER, NUMBER, STRING, ARRAY, OBJECT }; /* OTHER: true, false and null */

/* A string in the line that was read. It may contain NULs, so we store its length. */
struct text {
    const char *start;
    size_t length;
};

struct json {
    enum kind kind;
    double number;
    struct text string;
    struct text key;    /* in an object: the name of this member */
    struct json *first; /* of an array or object: the first item */
    struct json *next;  /* the item after this one */
};

/* The line ends with a NUL, so reading one character ahead is always safe. */
struct reader {
    char *at;
};

static struct json *read_value(struct reader *reader, int depth);

static void *checked(void *memory)
{
    if (memory == NULL) {
        exit(1); /* out of memory: there is nothing left to play with */
    }
    return memory;
}

static void json_free(struct json *value)
{
    while (value != NULL) {
        struct json *next = value->next;
        json_free(value->first);
        free(value);
        value = next;
    }
}

static void skip_space(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r' ||
           *reader->at == '\n') {
        reader->at++;
    }
}

static bool take(struct reader *reader, char wanted)
{
    skip_space(reader);
    if (*reader->at != wanted) {
        return false;
    }
    reader->at++;
    return true;
}

/* Reads the four digits of a \u escape. Returns -1 if there are not four digits. */
static long read_hex(struct reader *reader)
{
    long code = 0;
    for (int i = 0; i < 4; i++, reader->at++) {
        char c = *reader->at;
        if (c >= '0' && c <= '9') {
            code = code * 16 + (c - '0');
        } else if (c >= 'a' && c <= 'f') {
            code = code * 16 + (c - 'a' + 10);
        } else if (c >= 'A' && c <= 'F') {
            code = code * 16 + (c - 'A' + 10);
        } else {
            return -1;
        }
    }
    return code;
}

/* Reads the rest of an escape after "\u", and writes it as UTF-8. Returns NULL if it is wrong. */
static char *read_unicode(struct reader *reader, char *out)
{
    long code = read_hex(reader);
    if (code < 0) {
        return NULL;
    }
    if (code >= 0xD800 && code < 0xDC00 && reader->at[0] == '\\' && reader->at[1] == 'u') {
        char *before = reader->at;
        reader->at += 2;
        long low = read_hex(reader);
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else {
            reader->at = before; /* the second escape is not part of a pair */
        }
    }
    if (code >= 0xD800 && code < 0xE000) {
        code = 0xFFFD; /* half of a surrogate pair is not a character */
    }
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | (code >> 6));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | (code >> 12));
        *out++ = (char)(0x80 | ((code >> 6) & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | (code >> 18));
        *out++ = (char)(0x80 | ((code >> 12) & 0x3F));
        *out++ = (char)(0x80 | ((code >> 6) & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/* Decodes a string in place. That works, because no escape is shorter than its character. */
static bool read_string(struct reader *reader, struct text *text)
{
    if (*reader->at != '"') {
        return false;
    }
    reader->at++;
    char *out = reader->at;
    text->start = out;
    while (*reader->at != '"') {
        char c = *reader->at++;
        if ((unsigned char)c < ' ') {
            return false; /* this includes the NUL at the end of the line */
        }
        if (c != '\\') {
            *out++ = c;
            continue;
        }
        c = *reader->at;
        if (c == '\0') {
            return false;
        }
        reader->at++;
        switch (c) {
        case '"':
        case '\\':
        case '/':
            *out++ = c;
            break;
        case 'b':
            *out++ = '\b';
            break;
        case 'f':
            *out++ = '\f';
            break;
        case 'n':
            *out++ = '\n';
            break;
        case 'r':
            *out++ = '\r';
            break;
        case 't':
            *out++ = '\t';
            break;
        case 'u':
            out = read_unicode(reader, out);
            if (out == NULL) {
                return false;
            }
            break;
        default:
            return false;
        }
    }
    text->length = (size_t)(out - text->start);
    reader->at++;
    return true;
}

static bool skip_digits(struct reader *reader)
{
    char *start = reader->at;
    while (*reader->at >= '0' && *reader->at <= '9') {
        reader->at++;
    }
    return reader->at > start;
}

static bool read_number(struct reader *reader, double *number)
{
    char *start = reader->at;
    if (*reader->at == '-') {
        reader->at++;
    }
    if (*reader->at == '0') {
        reader->at++;
    } else if (!skip_digits(reader)) {
        return false;
    }
    if (*reader->at == '.') {
        reader->at++;
        if (!skip_digits(reader)) {
            return false;
        }
    }
    if (*reader->at == 'e' || *reader->at == 'E') {
        reader->at++;
        if (*reader->at == '+' || *reader->at == '-') {
            reader->at++;
        }
        if (!skip_digits(reader)) {
            return false;
        }
    }
    *number = strtod(start, NULL);
    return true;
}

static bool read_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0) {
        return false;
    }
    reader->at += length;
    return true;
}

/* Reads the items of an array or the members of an object, including the closing bracket. */
static bool read_items(struct reader *reader, struct json *parent, int depth)
{
    char close = parent->kind == OBJECT ? '}' : ']';
    struct json **end = &parent->first;
    reader->at++;
    if (take(reader, close)) {
        return true;
    }
    do {
        struct text key = {"", 0};
        if (parent->kind == OBJECT) {
            skip_space(reader);
            if (!read_string(reader, &key) || !take(reader, ':')) {
                return false;
            }
        }
        *end = read_value(reader, depth + 1);
        if (*end == NULL) {
            return false;
        }
        (*end)->key = key;
        end = &(*end)->next;
    } while (take(reader, ','));
    return take(reader, close);
}

/* Reads any value. Returns NULL if there is no valid JSON value. */
static struct json *read_value(struct reader *reader, int depth)
{
    if (depth > MAX_DEPTH) {
        return NULL;
    }
    struct json *value = checked(calloc(1, sizeof *value));
    bool good;
    skip_space(reader);
    switch (*reader->at) {
    case '{':
        value->kind = OBJECT;
        good = read_items(reader, value, depth);
        break;
    case '[':
        value->kind = ARRAY;
        good = read_items(reader, value, depth);
        break;
    case '"':
        value->kind = STRING;
        good = read_string(reader, &value->string);
        break;
    case 't':
        good = read_word(reader, "true");
        break;
    case 'f':
        good = read_word(reader, "false");
        break;
    case 'n':
        good = read_word(reader, "null");
        break;
    default:
        value->kind = NUMBER;
        good = read_number(reader, &value->number);
        break;
    }
    if (!good) {
        json_free(value);
        return NULL;
    }
    return value;
}

/* Reads a whole line. Returns NULL if it is not exactly one JSON value. */
static struct json *json_read(char *line, size_t length)
{
    struct reader reader = {line};
    struct json *value = read_value(&reader, 0);
    skip_space(&reader);
    if (reader.at != line + length) {
        json_free(value);
        return NULL;
    }
    return value;
}

/* Finds a member of an object, or returns NULL. If a key is repeated, the last one counts. */
static const struct json *get(const struct json *object, const char *key)
{
    const struct json *found = NULL;
    if (object == NULL || object->kind != OBJECT) {
        return NULL;
    }
    for (const struct json *item = object->first; item != NULL; item = item->next) {
        if (item->key.length == strlen(key) && memcmp(item->key.start, key, strlen(key)) == 0) {
            found = item;
        }
    }
    return found;
}

static double get_number(const struct json *object, const char *key)
{
    const struct json *value = get(object, key);
    return value != NULL && value->kind == NUMBER ? value->number : 0;
}

/* Returns the first item of a list, or NULL if the list is empty or missing. */
static const struct json *get_items(const struct json *object, const char *key)
{
    const struct json *value = get(object, key);
    return value != NULL && value->kind == ARRAY ? value->first : NULL;
}

static bool is_string(const struct json *value, const char *string)
{
    return value != NULL && value->kind == STRING && value->string.length == strlen(string) &&
           memcmp(value->string.start, string, strlen(string)) == 0;
}

/* ---------------------------------------------------------------- replies */

static void write_string(const struct json *value)
{
    putchar('"');
    if (value != NULL && value->kind == STRING) {
        for (size_t i = 0; i < value->string.length; i++) {
            unsigned char c = (unsigned char)value->string.start[i];
            if (c == '"' || c == '\\') {
                printf("\\%c", c);
            } else if (c < ' ') {
                printf("\\u%04x", c);
            } else {
                putchar(c);
            }
        }
    }
    putchar('"');
}

/* ---------------------------------------------------------------- the bot */

struct card {
    const char *name;
    int cost;
    int worth;
    int keep;    /* what an attack may take, lowest first */
    bool wanted; /* the bot buys it */
};

static const struct card CARDS[] = {
    {"province", 8, 0, 0, true}, {"gold", 6, 3, 4, true},    {"silver", 3, 2, 3, true},
    {"copper", 0, 1, 1, false},  {"curse", 0, 0, 0, false},  {"estate", 2, 0, 0, false},
    {"duchy", 5, 0, 0, false}, /* best buy first */
};
enum { CARD_COUNT = sizeof CARDS / sizeof CARDS[0] };
enum { KEEP_OTHERS = 2, KEEP_MOST = 4 }; /* cards not listed: between copper and silver */

static double supply[CARD_COUNT];

/* Returns the index of a card in the table, or -1 if the card is unknown. */
static int find_card(const struct json *value)
{
    for (int i = 0; i < CARD_COUNT; i++) {
        if (is_string(value, CARDS[i].name)) {
            return i;
        }
    }
    return -1;
}

static void on_supply(const struct json *message)
{
    memset(supply, 0, sizeof supply);
    for (const struct json *pile = get_items(message, "cards"); pile != NULL; pile = pile->next) {
        int card = find_card(get(pile, "card"));
        if (card >= 0) {
            supply[card] = get_number(pile, "count");
        }
    }
}

/* Writes the cards to buy. Each buy goes to the best card that is still affordable. */
static void write_buys(double money, double buys)
{
    double left[CARD_COUNT];
    const char *separator = "";
    memcpy(left, supply, sizeof left);
    while (buys > 0) {
        int best = 0;
        while (best < CARD_COUNT &&
               !(CARDS[best].wanted && CARDS[best].cost <= money && left[best] > 0)) {
            best++;
        }
        if (best == CARD_COUNT) {
            break;
        }
        printf("%s\"%s\"", separator, CARDS[best].name);
        separator = ",";
        money -= CARDS[best].cost;
        left[best]--;
        buys--;
    }
}

static void play_turn(const struct json *message)
{
    double buys = get_number(message, "buys");
    double money = get_number(message, "extra_money");
    const char *separator = "";
    if (buys <= 0) {
        printf("{\"type\":\"play-reply\",\"phase\":\"cleanup\"}\n");
        return;
    }
    printf("{\"type\":\"play-reply\",\"phase\":\"buy\",\"played_treasures\":[");
    for (const struct json *item = get_items(message, "hand"); item != NULL; item = item->next) {
        int card = find_card(item);
        if (card >= 0 && CARDS[card].worth > 0) {
            printf("%s\"%s\"", separator, CARDS[card].name);
            separator = ",";
            money += CARDS[card].worth;
        }
    }
    printf("],\"cards_to_buy\":[");
    write_buys(money, buys);
    printf("]}\n");
}

/* Discards the least useful cards. Equal cards keep their order. */
static void attack_reply(const struct json *message)
{
    double due = get_number(message, "discard");
    const char *separator = "";
    printf("{\"type\":\"attack-reply\",\"discard\":[");
    for (int keep = 0; keep <= KEEP_MOST; keep++) {
        const struct json *item = get_items(message, "options");
        for (; item != NULL && due > 0; item = item->next) {
            int card = find_card(item);
            if ((card >= 0 ? CARDS[card].keep : KEEP_OTHERS) == keep) {
                printf("%s", separator);
                write_string(item);
                separator = ",";
                due--;
            }
        }
    }
    printf("]}\n");
}

/* Handles one message, and prints the reply if it needs one. */
static void handle(const struct json *message)
{
    const struct json *type = get(message, "type");
    if (is_string(type, "player-name-request")) {
        printf("{\"type\":\"player-name-reply\",\"player_number\":");
        write_string(get(message, "player_number"));
        printf(",\"name\":\"Big Money (C)\",\"version\":1,\"keep_alive\":true}\n");
    } else if (is_string(type, "supply-info")) {
        on_supply(message);
    } else if (is_string(type, "play-turn")) {
        play_turn(message);
    } else if (is_string(type, "attack-request")) {
        attack_reply(message);
    } /* ignore other types: they are news, or newer than this bot */
}

/* Reads a line of any length. The buffer grows if necessary. Returns false at the end of input. */
static bool read_line(char **line, size_t *size, size_t *length)
{
    int c;
    *length = 0;
    do {
        c = getchar();
        if (c == EOF && *length == 0) {
            return false;
        }
        if (*length + 1 >= *size) {
            *size = *size * 2 + 1024;
            *line = checked(realloc(*line, *size));
        }
        if (c != EOF) {
            (*line)[(*length)++] = (char)c;
        }
    } while (c != EOF && c != '\n');
    (*line)[*length] = '\0';
    return true;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    size_t length = 0;
    bool playing = true;
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN); /* fflush below reports a closed pipe instead */
#endif
    while (playing && read_line(&line, &size, &length)) {
        struct json *message = json_read(line, length);
        handle(message);
        json_free(message);
        if (fflush(stdout) != 0) {
            playing = false; /* the referee is gone */
        }
    }
    free(line);
    return 0;
}

/* A bot for Bot Wars whose botlets take random steps. README.md says how to play it. */

#define _POSIX_C_SOURCE 200809L /* for getline */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME "My Bot"

/* C comes without JSON. This reads what the referee sends, compact, one object a line, where it
   stands in the line. If you use a library instead, such as cJSON, the next three functions can go. */

/* Where the value that begins here ends: at a comma or the end of the list or object. */
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

/* Whether this is that string. Types and players have no escapes. */
static bool is(const char *json, const char *text)
{
    size_t length = strlen(text);
    return json[0] == '"' && strncmp(json + 1, text, length) == 0 && json[length + 1] == '"';
}

/* A field's value; "" if it is missing. */
static const char *field(const char *object, const char *name)
{
    for (const char *member = object; *member == '{' || *member == ','; member = end(member + 1))
        if (is(member + 1, name)) return member + strlen(name) + 4;
    return "";
}

/* A step for each botlet of yours. `me` is 'r' or 'b', like your botlets in the grid. */
static void choose_moves(const char *grid, int rows, int cols, char me)
{
    const char *comma = "";
    for (int cell = 0; cell < rows * cols; cell++) {
        if (grid[cell] != me) continue;
        int near[4], count = 0; /* the cells next to it: above, below, left, right */
        if (cell >= cols) near[count++] = cell - cols;
        if (cell < (rows - 1) * cols) near[count++] = cell + cols;
        if (cell % cols > 0) near[count++] = cell - 1;
        if (cell % cols < cols - 1) near[count++] = cell + 1;
        printf("%s{\"from\":%d,\"to\":%d}", comma, cell, near[rand() % count]);
        comma = ",";
    }
}

/* Takes a message; all but these are news about the game, or newer than this bot: not an error. */
static void answer(const char *message)
{
    const char *type = field(message, "type"), *seat = field(message, "player_number");
    if (is(type, "player-name-request")) { /* a match begins; it may not be the first */
        printf("{\"type\":\"player-name-reply\",\"player_number\":%.*s,\"name\":\"" NAME "\","
               "\"version\":1,\"keep_alive\":true}\n", (int)(end(seat) - seat), seat);
    } else if (is(type, "move-request")) {
        const char *state = field(message, "state");
        int rows = atoi(field(state, "rows")), cols = atoi(field(state, "cols"));
        printf("{\"type\":\"move-reply\",\"moves\":[");
        choose_moves(field(state, "grid") + 1, rows, cols, field(message, "player")[1]);
        puts("]}");
    }
    fflush(stdout); /* without it the referee waits in vain */
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    srand((unsigned)time(NULL));
    /* A line that is cut off in the middle is no message: the referee is gone. */
    for (ssize_t length; (length = getline(&line, &size, stdin)) > 0 && line[length - 1] == '\n';)
        answer(line);
    free(line);
}

/* A Cardroom bot in C: one JSON object per line on standard input, answers on standard output.
 * It plays a random legal move; to do more, parse the questions with a JSON library.
 * Build it with `make`: the package needs the program `bot`, linked statically. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The character after the string that begins at the quote `p`. */
static const char *skip_string(const char *p) {
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
    return *p ? p + 1 : p;
}

/* The value of `key` in the line's object, or NULL; keys of inner objects are skipped. */
static const char *find(const char *line, const char *key) {
    size_t length = strlen(key);
    int depth = 0;
    for (const char *p = line; *p;) {
        if (*p == '"') {
            const char *end = skip_string(p);
            int same = (size_t)(end - p) == length + 2 && !strncmp(p + 1, key, length);
            if (depth == 1 && same && *end == ':') return end + 1;
            p = end;
            continue;
        }
        if (*p == '{' || *p == '[') depth++;
        if (*p == '}' || *p == ']') depth--;
        p++;
    }
    return NULL;
}

/* The string at `index`, counted from 0, in the list of strings that begins at `list`. */
static const char *nth(const char *list, size_t index) {
    const char *p = list + 1;
    while (index--) p = skip_string(p) + 1;
    return p;
}

/* The number of strings in the list that begins at `list`. */
static size_t count(const char *list) {
    size_t found = 0;
    for (const char *p = list + 1; *p == '"'; found++) {
        p = skip_string(p);
        if (*p == ',') p++;
    }
    return found;
}

int main(void) {
    uint32_t state = 1; /* the random generator's state; never 0 */
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = find(line, "type");
        if (!type) continue;
        if (!strncmp(type, "\"start\"", 7)) {
            const char *rng = find(line, "rng"); /* 32 hexadecimal digits; the first 8 are the seed */
            char seed[9] = "";
            if (rng) memcpy(seed, rng + 1, 8);
            state = (uint32_t)strtoul(seed, NULL, 16);
            if (!state) state = 1;
            puts("{\"type\":\"ready\"}");
        }
        if (!strncmp(type, "\"move\"", 6)) {
            const char *legal = find(line, "legal");
            if (!legal || legal[1] != '"') return 1;
            state ^= state << 13; /* xorshift: the same rng gives the same moves */
            state ^= state >> 17;
            state ^= state << 5;
            const char *move = nth(legal, state % count(legal));
            const char *n = find(line, "n"); /* the question's number, for the answer */
            printf("{\"move\":%.*s,\"n\":%ld}\n", (int)(skip_string(move) - move), move,
                   n ? strtol(n, NULL, 10) : 0L);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}

/* A Cardroom bot in C: one JSON object a line on standard input, answers on standard output.
 * It plays the first legal move; from here on a JSON library is worth its price.
 * Build it with `make`: the package holds the program `bot`, linked statically. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The character after the string that begins at the quote `p`. */
static const char *skip_string(const char *p) {
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
    return *p ? p + 1 : p;
}

/* The value of `key` in the object that is the line, or NULL; inner objects are passed over. */
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

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *type = find(line, "type");
        if (!type) continue;
        if (!strncmp(type, "\"start\"", 7)) puts("{\"type\":\"ready\"}");
        if (!strncmp(type, "\"move\"", 6)) {
            const char *legal = find(line, "legal");
            if (!legal || legal[1] != '"') return 1;
            const char *end = skip_string(legal + 1);
            printf("{\"move\":%.*s}\n", (int)(end - legal - 1), legal + 1);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}

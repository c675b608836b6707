// The protocol of a C bot of `channels.py`; the bot defines `prepare`, `leave` and `measure`.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static void prepare(void);
// As the sender, leave a trace of these bits, '0' or '1'.
static void leave(const char *bits, int count);
// As the reader, find a figure for each bit.
static void measure(long *figures, int count);

static char line[1 << 16];

static long clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static long ticks(void)
{
    unsigned core;
    return __rdtscp(&core);
}

// Wait for the next multiple of `turn` nanoseconds, at which sender and reader begin together.
static inline long await_turn(long turn)
{
    long start = (clock_ns() / turn + 1) * turn;
    while (clock_ns() < start)
        ;
    return start;
}

int main(void)
{
    static long figures[1024];
    prepare();
    while (fgets(line, sizeof line, stdin)) {
        char *what = strstr(line, "\"legal\": [\"");
        if (what) {
            what += 11;
            char *bits = strstr(what, ", \"") + 3;
            int count = strchr(bits, '"') - bits, reads = !strncmp(what, "read", 4);
            if (!strncmp(what, "pass", 4))
                memset(bits, '0', count);
            if (reads)
                measure(figures, count);
            else
                leave(bits, count);
            printf("{\"move\":\"%s", reads ? "[" : "sent");
            for (int i = 0; reads && i < count; i++)
                printf("%s%ld", i ? "," : "", figures[i]);
            puts(reads ? "]\"}" : "\"}");
        } else
            puts("{\"type\":\"ready\"}");
        fflush(stdout);
    }
}

// A bot of `channels.py` that requests random numbers from the processor. All cores share their source, so requests
// fail more often if a bot on another core requests some at the same time.
#include "channel.h"

enum { SLOT = 50000, TURN = 50000000 };

static void prepare(void) {}

__attribute__((target("rdseed"))) static int fails(void)
{
    unsigned long long number;
    return !_rdseed64_step(&number);
}

static void leave(const char *bits, int count)
{
    long start = await_turn(TURN);
    for (int i = 0; i < count; i++)
        while (clock_ns() < start + (i + 1) * SLOT)
            if (bits[i] == '1')
                fails();
}

static void measure(long *figures, int count)
{
    long start = await_turn(TURN);
    for (int i = 0; i < count; i++) {
        long failed = 0, number = 0;
        for (; clock_ns() < start + (i + 1) * SLOT; number++)
            failed += fails();
        figures[i] = number ? failed * 10000 / number : 0;
    }
}

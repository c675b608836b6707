// A bot of `channels.py` that adds an epoll set to another one. All processes of the machine do this
// under one lock, so it takes longer if a bot on another core does it at the same time.
#include "channel.h"
#include <sys/epoll.h>

enum { SETS = 6, SLOT = 2000000, TURN = 50000000 };
static int sets[SETS];

static void nest(int outer, int operation)
{
    struct epoll_event event = {EPOLLIN};
    epoll_ctl(sets[outer], operation, sets[outer + 1], &event);
}

static void nest_and_undo(void)
{
    nest(0, EPOLL_CTL_ADD);
    nest(0, EPOLL_CTL_DEL);
}

static void prepare(void)
{
    for (int i = 0; i < SETS; i++)
        sets[i] = epoll_create1(0);
    for (int i = 1; i < SETS - 1; i++)
        nest(i, EPOLL_CTL_ADD);
}

static void leave(const char *bits, int count)
{
    long start = await_turn(TURN);
    for (int i = 0; i < count; i++)
        while (clock_ns() < start + (i + 1) * SLOT)
            if (bits[i] == '1')
                nest_and_undo();
}

static void measure(long *figures, int count)
{
    long start = await_turn(TURN);
    for (int i = 0; i < count; i++) {
        long total = 0, number = 0;
        while (clock_ns() < start + (i + 1) * SLOT) {
            long begun = ticks(), duration;
            nest_and_undo();
            duration = ticks() - begun;
            if (duration < 30000) { // not interrupted by another process
                total += duration;
                number++;
            }
        }
        figures[i] = number ? total / number : 0;
    }
}

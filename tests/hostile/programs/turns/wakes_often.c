// tries: wake thousands of times in the opponent's turn, by timers, for a moment each
// must: play on or time or crash
// walls: freezing
#include "lib.h"

static long now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// Computes for a third of each millisecond on any machine, and leaves the rest for its own moves. It
// does not use clock(), which counts in ticks if processor time is limited.
static void wake(int number)
{
    for (long begun = now_us(); now_us() - begun < 300;)
        ;
}

int main(void)
{
    struct itimerval often = {{0, 1000}, {0, 1000}};
    struct sigaction action = {.sa_handler = wake, .sa_flags = SA_RESTART};
    accounts = 1;
    ask();
    tried();
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &often, 0);
    play_on();
}

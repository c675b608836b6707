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

// Of each millisecond a third, however fast the machine: the rest is for its own answers. Not by
// clock(), which goes by ticks where processor time is limited.
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

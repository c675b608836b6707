// tries: wake thousands of times in the opponent's turn, by timers, for a moment each
// must: play on or time or crash
// walls: freezing
#include "lib.h"

// Of each millisecond a third at most, on any machine: the rest is for its own answers.
static void wake(int number)
{
    clock_t begun = clock();
    while (clock() - begun < 300)
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

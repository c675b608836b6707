// tries: wake thousands of times in the opponent's turn, by timers, for a moment each
// must: play on or time or crash
// walls: freezing
#include "lib.h"

static void wake(int number)
{
    for (volatile int i = 0; i < 300000; i++)
        ;
}

int main(void)
{
    struct itimerval often = {{0, 100}, {0, 100}};
    struct sigaction action = {.sa_handler = wake, .sa_flags = SA_RESTART};
    accounts = 1;
    ask();
    tried();
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &often, 0);
    play_on();
}

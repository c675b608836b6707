// tries: prevent the referee from waking by bursts of all threads, so that lost time counts as a pause
// must: time
// walls: referee
#include "lib.h"
#include <stdatomic.h>

static atomic_int burst;

static void *help(void *arg)
{
    for (;;)
        if (!burst)
            usleep(500);
}

int main(void)
{
    pthread_t thread;
    ask();
    tried();
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread, 0, help, 0);
    for (;;) {
        clock_t began = clock();
        while (clock() - began < CLOCKS_PER_SEC) {
            burst = 0;
            usleep(17000);
            burst = 1;
            usleep(30000);
        }
        got("a second of the processor for one answer");
        play();
        ask();
    }
}

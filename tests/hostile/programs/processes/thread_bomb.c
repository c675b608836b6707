// tries: create threads that create threads, forever
// must: play on or time
// walls: rlimits, referee
#include "lib.h"

static void *breed(void *arg)
{
    pthread_t thread;
    for (;;)
        if (!pthread_create(&thread, 0, breed, 0))
            pthread_detach(thread);
}

int main(void)
{
    pthread_t thread;
    tried();
    ask();
    pthread_create(&thread, 0, breed, 0);
    play_on();
}

// tries: think in threads that live a moment, so that each sample finds other threads
// must: play on or time or crash
// walls: freezing
#include "lib.h"

static void *think(void *arg)
{
    pthread_t next;
    for (volatile int i = 0; i < 20000; i++)
        ;
    if (!pthread_create(&next, 0, think, 0))
        pthread_detach(next);
    return 0;
}

int main(void)
{
    pthread_t thread;
    accounts = 1;
    ask();
    tried();
    pthread_create(&thread, 0, think, 0);
    play_on();
}

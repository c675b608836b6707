// tries: think in all its threads in the opponent's turn, without an interpreter's lock
// must: play on or time
// walls: freezing
#include "lib.h"

static void *think(void *arg)
{
    for (;;)
        ;
}

int main(void)
{
    pthread_t thread;
    accounts = 1;
    ask();
    tried();
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread, 0, think, 0);
    play_on();
}

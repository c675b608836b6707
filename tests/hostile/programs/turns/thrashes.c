// tries: evict the opponent's caches in its turn
// must: play on or time or crash
// walls: freezing
#include "lib.h"

static char *pages;

static void *thrash(void *arg)
{
    for (;;)
        for (long at = 0; at < 32 * MIB; at += 64)
            pages[at]++;
}

int main(void)
{
    pthread_t thread;
    accounts = 1;
    ask();
    tried();
    pages = malloc(32 * MIB);
    touch(pages, 32 * MIB);
    for (int i = 1; i < 4; i++)
        pthread_create(&thread, 0, thrash, 0);
    play_on();
}

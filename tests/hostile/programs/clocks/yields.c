// tries: yield its processor all the time, so that it always waits for one
// must: time
// walls: referee
#include "lib.h"

static void *yield(void *arg)
{
    for (;;)
        sched_yield();
}

int main(void)
{
    pthread_t thread;
    ask();
    tried();
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread, 0, yield, 0);
    yield(0);
}

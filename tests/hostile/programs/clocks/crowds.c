// tries: start so many threads that its own computing counts as waiting for a processor
// must: time
// walls: referee
#include "lib.h"

static void *spin(void *arg)
{
    for (;;)
        ;
}

int main(void)
{
    pthread_t thread;
    ask();
    tried();
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread, 0, spin, 0);
    spin(0);
}

// tries: let other threads compute while the first one sleeps
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
    pthread_join(thread, 0);
}

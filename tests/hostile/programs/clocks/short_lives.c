// tries: compute in threads that live a microsecond, so that no measurement includes them
// must: time
// walls: referee
#include "lib.h"

static void *work(void *arg)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
    return 0;
}

int main(void)
{
    pthread_t thread;
    ask();
    tried();
    for (;;) {
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
    }
}

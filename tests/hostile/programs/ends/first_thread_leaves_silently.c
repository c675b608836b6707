// tries: end the first thread and let a second one compute forever
// must: time
// walls: kernel's word, referee
#include "lib.h"

static void *spin(void *arg)
{
    for (;;)
        sched_yield();
}

int main(void)
{
    pthread_t thread;
    ask();
    tried();
    pthread_create(&thread, 0, spin, 0);
    syscall(SYS_exit, 0);
}

// tries: continue in a second thread after the first has ended and become a zombie
// must: play on or crash
// walls: kernel's word
#include "lib.h"

static void *live(void *arg)
{
    usleep(1000);
    play_on();
    return 0;
}

int main(void)
{
    pthread_t thread;
    ask();
    tried();
    pthread_create(&thread, 0, live, 0);
    syscall(SYS_exit, 137);
}

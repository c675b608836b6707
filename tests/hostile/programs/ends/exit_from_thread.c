// tries: end from a second thread by exit_group, the first one asleep
// must: crash; not saying "killed from outside"
// walls: kernel's word
#include "lib.h"

static void *leave(void *arg) { _exit(137); }

int main(void)
{
    pthread_t thread;
    ask();
    tried();
    pthread_create(&thread, 0, leave, 0);
    pause();
}

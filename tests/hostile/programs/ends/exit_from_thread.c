// tries: exit from a second thread by exit_group while the first one sleeps
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

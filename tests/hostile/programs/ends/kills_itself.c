// tries: kill itself from a second thread, and by raise() with handlers reset
// must: play on or crash or time; not saying "killed from outside"
// walls: kernel's word, seccomp, namespaces
// each: 9 19 11 24 31 6 15
#include "lib.h"

static int number;

static void *shoot(void *arg)
{
    signal(number, SIG_DFL);
    syscall(SYS_tgkill, getpid(), getpid(), number);
    raise(number);
    kill(getpid(), number);
    kill(0, number);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    number = atoi(argv[2]);
    ask();
    tried();
    pthread_create(&thread, 0, shoot, 0);
    pthread_join(thread, 0);
    play_on();
}

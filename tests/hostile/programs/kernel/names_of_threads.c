// tries: confuse the platform's reading of /proc by the names of its threads
// must: play on
// walls: referee
// each: 0 1 2
#include "lib.h"

static char *names[] = {") Z 1 (", "\nRssAnon:\t0", "\x1b[2J\xff) T 0"};
static char *name;

static void *sleep_(void *arg)
{
    prctl(PR_SET_NAME, name);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    pthread_t thread;
    name = names[atoi(argv[2])];
    tried();
    prctl(PR_SET_NAME, name);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, 0, sleep_, 0);
    ask();
    play_on();
}

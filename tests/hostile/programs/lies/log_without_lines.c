// tries: flood its log from a thread during the whole match, without a newline
// must: play on or time
// walls: output limits
#include "lib.h"

static void *flood(void *arg)
{
    static char noise[1 << 14];
    for (;;) {
        write(2, memset(noise, 'x', sizeof noise), sizeof noise);
        dprintf(2, "\nTRIED\n");
        usleep(300);
    }
}

int main(void)
{
    pthread_t thread;
    ask();
    tried();
    pthread_create(&thread, 0, flood, 0);
    play_on();
}

// tries: replace its process image from a second thread, which then takes the first one's number
// must: play on
// walls: kernel's word, referee
#include "lib.h"

static char *program;

static void *restart(void *arg)
{
    execl(program, program, "alone", move_, 0);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    program = argv[0];
    if (argc > 2) /* the second image, with the first one's move */
        strcpy(move_, argv[2]);
    else {
        ask();
        tried();
        pthread_create(&thread, 0, restart, 0);
        pause();
    }
    play_on();
}

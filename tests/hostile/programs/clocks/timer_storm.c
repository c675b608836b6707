// tries: send itself timer signals instead of a move
// must: time
// walls: referee
#include "lib.h"

static void nothing(int number) {}

int main(void)
{
    struct itimerval often = {{0, 10}, {0, 10}};
    ask();
    tried();
    for (int kind = 0; kind < 3; kind++) {
        signal((int[]){SIGALRM, SIGVTALRM, SIGPROF}[kind], nothing);
        setitimer(kind, &often, 0);
    }
    for (;;)
        usleep(50);
}

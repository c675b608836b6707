// tries: make the platform compute, by asking it for pipes that it refuses
// must: play on
// walls: seccomp
#include "lib.h"

int main(void)
{
    struct timespec now;
    int ends[2];
    long count = 0, end;
    tried();
    ask();
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (end = now.tv_sec * 1000 + now.tv_nsec / 1000000 + 300; now.tv_sec * 1000 + now.tv_nsec / 1000000 < end; count++) {
        if (!pipe2(ends, O_DIRECT)) // a flag that it refuses
            got("a pipe of packets");
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    dprintf(2, "REFUSED %ld pipes, %ld ms of processor time\n", count, clock() / 1000);
    if (count > 500)
        got("the platform answers as often as it is asked");
    play_on();
}

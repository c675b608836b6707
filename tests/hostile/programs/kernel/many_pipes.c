// tries: set the counter by which the kernel numbers the machine's pipes
// must: play on
// walls: seccomp
#include "lib.h"

int main(void)
{
    int ends[2], made = 0;
    tried();
    ask();
    while (made < 5000 && !pipe2(ends, 0)) {
        close(ends[0]);
        close(ends[1]);
        made++;
    }
    dprintf(2, "REFUSED after %d pipes: %s\n", made, strerror(errno));
    if (made > 64)
        got("thousands of pipes");
    play_on();
}

// tries: keep bytes in the kernel's pipes
// must: play on
// walls: rlimits, seccomp
#include "lib.h"

static long take(void)
{
    static char block[1 << 16];
    int ends[2];
    long held = 0, more;
    if (pipe2(ends, O_NONBLOCK))
        return 0;
    fcntl(ends[1], F_SETPIPE_SZ, MIB);
    while ((more = write(ends[1], block, sizeof block)) > 0)
        held += more;
    return held;
}

int main(void) { hold_more_than(8 * MIB, take); }

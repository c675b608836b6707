// tries: let one mapping grow downwards by touching the page below it
// must: play on or crash
// walls: seccomp, memory watch, cgroup
#include "lib.h"

static long take(void)
{
    static char *at;
    if (!at)
        at = mmap(0, 4096, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_STACK, -1, 0);
    if (at == MAP_FAILED)
        return 0;
    for (int page = 0; page < 256; page++)
        *(at -= 4096) = 1;
    return MIB;
}

int main(void) { hold(take); }

// tries: move the program break
// must: play on or crash
// walls: rlimits, memory watch, cgroup
#include "lib.h"

static long take(void)
{
    char *pages = sbrk(MIB);
    return pages == (void *)-1 ? 0 : touch(pages, MIB);
}

int main(void) { hold(take); }

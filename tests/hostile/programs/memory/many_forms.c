// tries: combine all kinds of memory: heap, stacks, pages of files, pipes, page tables
// must: play on or crash
// walls: rlimits, memory watch, cgroup
#include "lib.h"

static long take(void)
{
    static int round;
    char *pages;
    switch (round++ % 3) {
    case 0:
        return touch(malloc(MIB), MIB);
    case 1:
        pages = mmap(0, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return mprotect(pages, MIB, PROT_READ) ? 0 : MIB / 256;
    default:
        pages = mmap(0, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (!touch(pages, MIB))
            return 0;
        mprotect(pages, MIB, PROT_EXEC);
        return MIB;
    }
}

int main(void) { hold(take); }

// tries: fill page tables, which no limit counts, by reading one byte of every 2 MiB
// must: play on or crash
// walls: rlimits, cgroup, memory watch
#include "lib.h"

static long take(void)
{
    static char *pages;
    static long at;
    long size = 1L << 30;
    if (!pages || at == size) {
        pages = mmap(0, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        at = 0;
    }
    if (pages == MAP_FAILED)
        return 0;
    for (int i = 0; i < 64; i++, at += 2 * MIB)
        (void)*(volatile char *)(pages + at);
    return 64 * 4096;
}

int main(void) { hold(take); }

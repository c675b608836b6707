// tries: move pages and extend them at their new place
// must: play on or crash
// walls: rlimits, memory watch, cgroup
// each: grow move
#include "lib.h"

static char *way;

static long take(void)
{
    static char *pages;
    static long size = MIB;
    if (*way == 'g') {
        if (!pages)
            pages = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pages = mremap(pages, size, size + MIB, MREMAP_MAYMOVE);
        if (pages == MAP_FAILED)
            return 0;
        size += MIB;
        return touch(pages + size - MIB, MIB);
    }
    pages = mmap(0, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!touch(pages, MIB))
        return 0;
    mprotect(pages, MIB, PROT_READ);
    return mremap(pages, MIB, MIB, MREMAP_MAYMOVE | 4 /* DONTUNMAP */, 0) == MAP_FAILED ? 0 : MIB;
}

int main(int argc, char **argv)
{
    way = argv[2];
    hold(take);
}

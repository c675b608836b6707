// tries: advise the kernel to hide, keep, page out and merge pages
// must: play on or crash
// walls: seccomp, memory watch, cgroup
// each: 3 4 8 10 12 14 16 18 20 21 22 23 100 101
#include "lib.h"

static int advice;

static long take(void)
{
    char *pages = mmap(0, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 0;
    if (advice != 4 && advice != 8) /* these empty the pages, so they are written afterwards */
        touch(pages, MIB);
    int refused = madvise(pages, MIB, advice);
    if (advice == 100 || advice == 101)
        attempt("poison", -1 - !refused ? -1 : 0);
    touch(pages, MIB);
    return mprotect(pages, MIB, PROT_READ) ? 0 : MIB;
}

int main(int argc, char **argv)
{
    advice = atoi(argv[2]);
    hold(take);
}

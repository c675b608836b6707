// tries: map and write private pages
// must: play on or crash
// walls: rlimits, memory watch, cgroup
// each: plain populate stack reserve fixed
#include "lib.h"

static int flags = MAP_PRIVATE | MAP_ANONYMOUS;

static long take(void)
{
    return touch(mmap(0, MIB, PROT_READ | PROT_WRITE, flags, -1, 0), MIB);
}

int main(int argc, char **argv)
{
    switch (argv[2][0]) {
    case 'p': flags |= argv[2][1] == 'o' ? MAP_POPULATE : 0; break;
    case 's': flags |= MAP_STACK; break;
    case 'r': flags |= MAP_NORESERVE; break;
    case 'f': flags |= MAP_32BIT; break;
    }
    hold(take);
}

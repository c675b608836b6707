// tries: use pages that a limit on data does not count: shared, growing, huge, locked, zero pages
// must: play on or crash
// walls: seccomp, memory watch, cgroup
// each: shared growing huge locked zero shadow
#include "lib.h"

static char *way;

static long take(void)
{
    int both = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS, file = -1;
    if (!strcmp(way, "shadow"))
        return touch((char *)syscall(453, 0, MIB, 0), 0);
    if (!strcmp(way, "shared"))
        flags = MAP_SHARED | MAP_ANONYMOUS;
    if (!strcmp(way, "growing"))
        flags |= MAP_GROWSDOWN;
    if (!strcmp(way, "huge"))
        flags |= MAP_HUGETLB;
    if (!strcmp(way, "locked"))
        flags |= MAP_LOCKED;
    if (!strcmp(way, "zero")) {
        file = open("/dev/zero", O_RDWR);
        flags = MAP_SHARED;
    }
    return touch(mmap(0, 2 * MIB, both, flags, file, 0), 2 * MIB);
}

int main(int argc, char **argv)
{
    way = argv[2];
    hold(take);
}

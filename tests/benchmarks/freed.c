// A bot of `channels.py` that uses much memory, its own and the kernel's, and ends. The next bot times
// new mappings and their first pages: recently freed memory makes the former faster, the latter slower.
#include "channel.h"

enum { PAGE = 4096, LEFT = 30000, TIMED = 1000 };

static void map_page(int access)
{
    mmap(0, PAGE, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static char *map_memory(long size)
{
    return mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long at_most(long duration) { return duration < 3000 ? duration : 3000; }

static void prepare(void) {}

static void leave(const char *bits, int count)
{
    if (*bits == '0')
        return;
    for (int i = 0; i < LEFT; i++)
        map_page(i % 2 ? PROT_READ : PROT_NONE);
    memset(map_memory(100 << 20), 1, 100 << 20);
}

static void measure(long *figures, int count)
{
    volatile char *memory = map_memory(TIMED * PAGE);
    *figures = 0;
    for (int i = 0; i < TIMED; i++) {
        long start = ticks();
        map_page(i % 2 ? PROT_READ : PROT_NONE);
        long mapped = ticks();
        memory[i * PAGE] = 1;
        *figures += at_most(ticks() - mapped) - at_most(mapped - start);
    }
}

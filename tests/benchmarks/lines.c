// A bot of `channels.py` that reads cache lines of a file that all sandboxes map, one in each page.
// Reading a line that was read before is faster; then the line is evicted from the caches.
#include "channel.h"

static volatile char *file;

static void prepare(void)
{
    file = mmap(0, 1 << 20, PROT_READ, MAP_SHARED, open("/usr/lib/libc.so.6", O_RDONLY), 0);
}

static volatile char *place(int i) { return file + (i * 97 % 251) * 4096 + (i * 61 % 64) * 64; }

static void leave(const char *bits, int count)
{
    for (int i = 0; i < count; i++)
        if (bits[i] == '1')
            (void)*place(i);
}

static void measure(long *figures, int count)
{
    for (int i = 0; i < count; i++) {
        long start = ticks();
        (void)*place(i);
        figures[i] = ticks() - start;
        _mm_clflush((void *)place(i));
    }
}

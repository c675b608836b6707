// tries: write to private pages of a file, then make them read-only
// must: play on or crash
// walls: memory watch, cgroup
#include "lib.h"

static long take(void)
{
    static int file;
    file = file ? file : open("/proc/self/exe", O_RDONLY);
    file = file > 0 ? file : open("./bot", O_RDONLY);
    long size = lseek(file, 0, SEEK_END) & ~4095L;
    char *pages = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    long done = touch(pages, size);
    return mprotect(pages, size, PROT_READ) ? 0 : done;
}

int main(void) { hold(take); }

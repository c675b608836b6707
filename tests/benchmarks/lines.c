// A bot of `channels.py` that reads cache lines of a file that all sandboxes map, one in each page.
// Reading a line that was read before is faster; then the line is evicted from the caches.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

static char line[1 << 16];

int main(void)
{
    int fd = open("/usr/lib/libc.so.6", O_RDONLY);
    volatile char *file = mmap(0, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
    unsigned seen;
    while (fgets(line, sizeof line, stdin)) {
        char *what = strstr(line, "\"legal\": [\"");
        if (!what) {
            puts("{\"type\":\"ready\"}");
            fflush(stdout);
            continue;
        }
        what += 11;
        int reads = !strncmp(what, "read", 4), sends = !strncmp(what, "send", 4);
        char *bits = strstr(what, ", \"") + 3, *end = strchr(bits, '"');
        printf("{\"move\":\"%s", reads ? "[" : "sent");
        for (int i = 0; bits + i < end; i++) {
            volatile char *at = file + (i * 97 % 251) * 4096 + (i * 61 % 64) * 64;
            if (reads) {
                unsigned long long start = __rdtscp(&seen);
                (void)*at;
                printf("%s%llu", i ? "," : "", __rdtscp(&seen) - start);
                _mm_clflush((void *)at);
            } else if (sends && bits[i] == '1')
                (void)*at;
        }
        puts(reads ? "]\"}" : "\"}");
        fflush(stdout);
    }
}

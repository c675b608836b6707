// tries: allocate and hide memory after the last answer, when no more questions come
// must: play on
// walls: memory watch, cgroup
#include "lib.h"

int main(void)
{
    long held = 0;
    tried();
    while (fgets(line_, sizeof line_, stdin) && !strstr(line_, "\"type\":\"end\""))
        if (strstr(line_, "\"type\":\"start\""))
            dprintf(1, "{\"type\":\"ready\"}\n");
        else if (strstr(line_, "\"type\":\"move\"")) {
            char *first = strstr(line_, "\"legal\":[\"") + 10;
            dprintf(1, "{\"move\":\"%.*s\"}\n", (int)strcspn(first, "\""), first);
        }
    while (held < 3 * MEMORY_MIB * MIB) {
        char *piece = mmap(0, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (!touch(piece, MIB) || mprotect(piece, MIB, PROT_READ))
            _exit(0);
        held += MIB;
    }
    got("memory that nobody watches");
}

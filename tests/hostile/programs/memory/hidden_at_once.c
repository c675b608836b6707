// tries: allocate and hide all memory within one move of a few milliseconds
// must: play on or crash
// walls: memory watch, cgroup
#include "lib.h"

int main(void)
{
    long size = 2 * MEMORY_MIB * MIB, held = 0;
    tried();
    ask();
    while (held < size) {
        char *piece = mmap(0, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (!touch(piece, MIB) || mprotect(piece, MIB, PROT_READ))
            break;
        held += MIB;
    }
    dprintf(2, "holds %ld MiB\n", held / MIB);
    play();
    ask();
    play();
    ask();
    if (held > MEMORY_MIB * MIB * 3 / 2)
        got("held from one question to the next but one");
    play_on();
}

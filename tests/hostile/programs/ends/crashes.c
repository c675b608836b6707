// tries: crash by a trap, an illegal instruction, a bad address or the filter
// must: crash; not saying "killed from outside"
// walls: kernel's word
// each: trap illegal bus filter abort
#include "lib.h"

int main(int argc, char **argv)
{
    char *way = argv[2];
    ask();
    tried();
    if (!strcmp(way, "trap"))
        __builtin_trap();
    if (!strcmp(way, "illegal"))
        ((void (*)(void))way)();
    if (!strcmp(way, "bus")) {
        int file = open(argv[0], O_RDONLY);
        char *past = mmap(0, 1 << 26, PROT_READ, MAP_PRIVATE, file, 0);
        return past[(1 << 26) - 1];
    }
    if (!strcmp(way, "filter"))
        syscall(0x40000000 + 39);
    abort();
}

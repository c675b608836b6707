// tries: use the calls of the x32 interface, which a careless filter confuses with others
// must: crash or play on
// walls: seccomp
// each: 0 1 39 57 59 520 545
#include "lib.h"

int main(int argc, char **argv)
{
    ask();
    tried();
#ifdef __x86_64__
    if (syscall(0x40000000 | atoi(argv[2]), 2, 0, 0) >= 0)
        got("an x32 call");
#endif
    play_on();
}

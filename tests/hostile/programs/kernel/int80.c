// tries: use the 32-bit calls by int 0x80, which have other numbers
// must: crash or play on
// walls: seccomp
// each: 2 11 20 102
#include "lib.h"

int main(int argc, char **argv)
{
    ask();
    tried();
#ifdef __x86_64__
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(atoi(argv[2])), "b"(0), "c"(0), "d"(0) : "memory");
    if (result >= 0)
        got("a 32-bit call");
#endif
    play_on();
}

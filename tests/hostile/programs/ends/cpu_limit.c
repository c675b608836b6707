// tries: lower its processor time by prlimit64, without the warning of a soft limit
// must: play on or crash; not saying "killed from outside"
// walls: kernel's word, seccomp
#include "lib.h"

int main(void)
{
    struct rlimit one = {1, 1};
    ask();
    tried();
    if (syscall(SYS_prlimit64, 0, RLIMIT_CPU, &one, 0))
        play_on();
    for (;;) {
        for (clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;)
            ;
        play();
        ask();
    }
}

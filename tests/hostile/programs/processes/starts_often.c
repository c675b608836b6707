// tries: start a file of an unknown kind again and again, for which older kernels run modprobe as root
// must: play on
// walls: seccomp
#include "lib.h"

int main(void)
{
    char *words[] = {"./cardroom.toml", 0};
    int refused = 0;
    ask();
    tried();
    for (int i = 0; i < 40; i++) {
        execv(words[0], words);
        refused += errno == EPERM;
    }
    if (refused < 20)
        got("more than 20 calls of execve");
    play_on();
}

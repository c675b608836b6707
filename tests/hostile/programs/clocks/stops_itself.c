// tries: stop itself from C, so that the clock blames the machine
// must: play on
// walls: namespaces
#include "lib.h"

int main(void)
{
    int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
    ask();
    tried();
    for (int i = 0; i < 4; i++) {
        raise(stops[i]);
        kill(getpid(), stops[i]);
        kill(0, stops[i]);
        syscall(SYS_tkill, getpid(), stops[i]);
    }
    play_on();
}

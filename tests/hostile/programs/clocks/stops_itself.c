// tries: stop itself from its own program, so that the clock takes it for the machine's doing
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

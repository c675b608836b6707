// tries: send a few bits, repeated, by creating pipes, which one counter of the machine numbers
// must: play on
// walls: seccomp
#include "lib.h"

enum { BITS = 10, TURNS = 50 };

static long number_of_new_pipe(void)
{
    int ends[2];
    struct stat status;
    if (pipe(ends)) {
        dprintf(2, "REFUSED a pipe: %s\n", strerror(errno));
        return 0;
    }
    fstat(ends[0], &status);
    close(ends[0]);
    close(ends[1]);
    return status.st_ino;
}

int main(int argc, char **argv)
{
    int sender = !strcmp(argv[1], "sender");
    char bits[TURNS + 1] = "";
    unsigned seed = 0;
    long last = 0;
    tried();
    ask();
    for (char *c = line_; *c; c++)
        seed = seed * 31 + *c;
    for (int turn = 0; turn < TURNS; turn++) {
        if (turn >= BITS)
            bits[turn] = bits[turn % BITS];
        else if (sender) {
            bits[turn] = '0' + ((seed = seed * 1103515245 + 12345) >> 30 & 1);
            if (bits[turn] == '1')
                number_of_new_pipe();
        } else {
            long now = number_of_new_pipe();
            bits[turn] = '0' + (labs(now - last) > 1);
            last = now;
        }
        if (turn == TURNS - 1)
            dprintf(2, "%s %s\n", sender ? "SENT" : "HEARD", bits);
        play();
        ask();
    }
    play_on();
}

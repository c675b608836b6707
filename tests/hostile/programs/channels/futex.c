// tries: wake the receiver, which waits on the same page of a file
// must: play on
// walls: seccomp, root
// each: 0 1 2
#include "lib.h"
#include <linux/futex.h>

static uint32_t *word;
static volatile int woken;
static int style;

static void *listen_(void *arg)
{
    struct timespec moment = {60, 0};
    for (;;) {
        long result = style == 2 ? syscall(455, word, *word, ~0u, 2, &moment, CLOCK_MONOTONIC)
                                 : syscall(SYS_futex, word, style ? FUTEX_WAIT_BITSET : FUTEX_WAIT, *word, 0, 0, ~0);
        if (result == 0)
            woken = 1;
        else
            usleep(2000);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int sender = !strcmp(argv[1], "sender"), file;
    style = atoi(argv[2]);
    tried();
    ask();
    char *shared[] = {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/cardroom/runner.py",
                      "/lib64/ld-linux-x86-64.so.2", "/cardroom/start.pyc", "./bot"};
    for (int i = 0; i < 6 && (file = open(shared[i], O_RDONLY)) < 0; i++)
        ;
    word = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
    if (!sender)
        pthread_create(&thread, 0, listen_, 0);
    char bits[64] = "";
    unsigned seed = 0;
    for (char *c = line_; *c; c++)
        seed = seed * 31 + *c;
    for (int turn = 0; turn < 60; turn++) {
        if (sender) {
            int bit = (seed = seed * 1103515245 + 12345) >> 30 & 1;
            dprintf(2, "SENT %d\n", bit);
            for (int again = 0; bit && again < 3; again++)
                style == 2 ? syscall(454, word, ~0u, 1, 2) : syscall(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0);
        } else {
            usleep(3000);
            bits[turn] = '0' + woken;
            woken = 0;
            if (turn == 59)
                dprintf(2, "HEARD %s\n", bits);
        }
        play();
        ask();
    }
    play_on();
}

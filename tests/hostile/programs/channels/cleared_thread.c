// tries: wake the receiver by the end of a thread, which wakes all waiters on its id's address
// must: play on
// walls: seccomp, root
#include "lib.h"
#include <linux/futex.h>

static uint32_t *word;
static volatile int woken;

static void *listen_(void *arg)
{
    for (;;)
        if (syscall(SYS_futex, word, FUTEX_WAIT, *word, 0, 0, 0) == 0)
            woken = 1;
        else
            usleep(2000);
}

static void *end(void *arg)
{
    syscall(SYS_set_tid_address, word);
    syscall(SYS_exit, 0);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int sender = !strcmp(argv[1], "sender"), file;
    char bits[64] = "", *shared[] = {"/lib/x86_64-linux-gnu/libc.so.6", "/cardroom/runner.py", "/cardroom/start.pyc", "./bot"};
    tried();
    ask();
    for (int i = 0; i < 4 && (file = open(shared[i], O_RDONLY)) < 0; i++)
        ;
    word = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
    if (!sender)
        pthread_create(&thread, 0, listen_, 0);
    unsigned seed = 7;
    for (char *c = line_; *c; c++)
        seed = seed * 31 + *c;
    for (int turn = 0; turn < 60; turn++) {
        if (sender) {
            int bit = (seed = seed * 1103515245 + 12345) >> 30 & 1;
            dprintf(2, "SENT %d\n", bit);
            char *stack = malloc(65536);
            if (bit)
                clone((int (*)(void *))end, stack + 65536,
                      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, 0);
            usleep(1000);
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

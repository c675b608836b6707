// tries: make written pages read-only in small pieces from a thread, while the first thread plays
// must: play on or crash
// walls: memory watch, cgroup
#include "lib.h"

#define PIECE (1 << 18)

static volatile long held;

static void *take(void *arg)
{
    for (; held < 3 * MEMORY_MIB * MIB; held += PIECE) {
        char *piece = mmap(0, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (!touch(piece, PIECE) || mprotect(piece, PIECE, PROT_NONE))
            break;
        usleep(20);
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    tried();
    ask();
    pthread_create(&thread, 0, take, 0);
    for (int turn = 0; turn < 23; turn++) {
        long before = held;
        // On a busy machine the other thread needs longer; a move may take half a second.
        for (int ms = 0; ms < 200 && held < before + MEMORY_MIB * MIB / 8; ms++)
            usleep(1000);
        if (before > MEMORY_MIB * MIB * 3 / 2)
            got("memory taken while nobody looked");
        play();
        ask();
    }
    play_on();
}

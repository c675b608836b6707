/* A bot that takes memory of one kind, named by its argument, until it gets no more. With a second
   argument it does so beside its answers: it answers at once and takes memory all the while. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIB (1UL << 20)
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)
#define READ PROT_READ
#define WRITE (PROT_READ | PROT_WRITE)

static void *map(unsigned long size, int protection, int flags, int fd) {
    void *start = mmap(0, size, protection, flags, fd, 0);
    return start == MAP_FAILED ? 0 : start;
}

static void touch(char *start, unsigned long size) {
    for (unsigned long at = 0; at < size; at += 4096) start[at] = 1;
}

/* Map, touch, and make it look like something that no limit counts; again and again. */
static void pages(unsigned long size, int flags, int fd, int advice, int protection) {
    char *start;
    while ((start = map(size, WRITE, flags, fd))) {
        if (advice) madvise(start, size, advice);
        touch(start, size);
        mprotect(start, size, protection);
    }
}

static void plain(void) { pages(MIB, PRIVATE, -1, 0, WRITE); }
static void readable(void) { pages(MIB, PRIVATE, -1, 0, READ); }
static void closed(void) { pages(MIB, PRIVATE, -1, 0, PROT_NONE); }
static void code(void) { pages(MIB, PRIVATE, -1, 0, READ | PROT_EXEC); }
static void shared(void) { pages(MIB, MAP_SHARED | MAP_ANONYMOUS, -1, 0, READ); }
static void growing(void) { pages(MIB, PRIVATE | MAP_GROWSDOWN, -1, 0, READ); }
static void reserved(void) { pages(4 * MIB, PRIVATE | MAP_HUGETLB, -1, 0, READ); }
static void huge(void) { pages(8 * MIB, PRIVATE, -1, MADV_HUGEPAGE, READ); }
static void lazy(void) { pages(MIB, PRIVATE | MAP_NORESERVE, -1, 0, READ); }

static void copies(void) {
    int fd = open("bot", O_RDONLY);
    pages(lseek(fd, 0, SEEK_END) & ~4095L, MAP_PRIVATE, fd, 0, READ);
}

static void own_file(void) {
    int fd = open("room", O_RDWR);
    ftruncate(fd, 1 << 30);
    pages(MIB, MAP_SHARED, fd, 0, READ);
}

static void heap(void) {
    char *start;
    while ((start = sbrk(MIB)) != (char *)-1) {
        touch(start, MIB);
        mprotect((char *)(((unsigned long)start + 4095) & ~4095UL), MIB - 4096, READ);
    }
}

static void moved(void) {
    char *start;
    while ((start = map(MIB, WRITE, PRIVATE, -1))) {
        touch(start, MIB);
        mprotect(start, MIB, READ);
        start = mremap(start, MIB, 2 * MIB, MREMAP_MAYMOVE);
        if (start == MAP_FAILED || mprotect(start, 2 * MIB, WRITE)) return;
        touch(start + MIB, MIB);
        mprotect(start, 2 * MIB, READ);
    }
}

static void unnamed_file(void) {
    int fd = syscall(SYS_memfd_create, "x", 0);
    char block[65536] = {1};
    while (write(fd, block, sizeof block) > 0) continue;
}

static void tables(void) {
    char *start;
    while ((start = map(1UL << 30, READ, PRIVATE | MAP_NORESERVE, -1)))
        for (unsigned long at = 0; at < 1UL << 30; at += 2 * MIB)
            (void)*(volatile char *)(start + at);
}

static void pipes(void) {
    int ends[2];
    char block[4096] = {1};
    while (!pipe(ends)) {
        fcntl(ends[1], F_SETPIPE_SZ, MIB);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], block, sizeof block) > 0) continue;
    }
}

static void objects(void) {
    struct { int value[16]; } event = {{0, 0, 34, 0}};
    int made;
    for (int count = 0; count < 1000000; count++)
        if (syscall(SYS_timer_create, 1, &event, &made)) break;
    while (syscall(SYS_eventfd2, 0, 0) >= 0 && syscall(SYS_epoll_create1, 0) >= 0) continue;
}

static void copies_of_itself(void) {
    while (fork() > 0) continue;
    readable();
}

static void *stack(void *unused) {
    char block[7 << 20];
    memset(block, 1, sizeof block);
    for (;;) pause();
    return unused;
}

static void stacks(void) {
    pthread_t thread;
    while (!pthread_create(&thread, 0, stack, 0)) usleep(1000);
    readable();
}

static void *behind(void *unused) {
    usleep(2000);
    readable();
    for (;;) pause();
    return unused;
}

/* The first thread ends: what is asked of the process by its number has no memory any more. */
static void headless(void) {
    pthread_t thread;
    pthread_create(&thread, 0, behind, 0);
    syscall(SYS_exit, 0);
}

#define KIND(name) {#name, name}
static const struct { const char *name; void (*take)(void); } kinds[] = {
    KIND(plain), KIND(readable), KIND(closed), KIND(code), KIND(shared), KIND(growing),
    KIND(reserved), KIND(huge), KIND(lazy), KIND(copies), KIND(own_file), KIND(heap), KIND(moved),
    KIND(unnamed_file), KIND(tables), KIND(pipes), KIND(objects), KIND(copies_of_itself),
    KIND(stacks), KIND(headless),
};

static char line[1 << 20];

static void answer(void) {
    char *move = strstr(line, "\"legal\":[\"") + 10;
    *strchr(move, '"') = 0;
    printf("{\"move\":\"%s\"}\n", move);
    fflush(stdout);
}

int main(int count, char **words) {
    pthread_t thread;
    int begun = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"start\"")) {
            puts("{\"type\":\"ready\"}");
            fflush(stdout);
        } else if (strstr(line, "\"type\":\"move\"")) {
            if (count > 2) {
                answer();
                if (!begun++) pthread_create(&thread, 0, behind, 0);
                continue;
            }
            for (unsigned kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
                if (!strcmp(kinds[kind].name, words[1])) kinds[kind].take();
            fputs("no more\n", stderr);
            for (;;) pause();
        }
    }
}

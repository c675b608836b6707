/* Functions of the C programs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1L << 20)

/* Whether to log the processor time of the whole process at each question. */
static int accounts;
static char line_[1 << 20], move_[256];

static void tell(const char *text) { dprintf(2, "%s\n", text); }
static void tried(void) { tell("TRIED"); }
static void got(const char *what) { dprintf(2, "GOT-THROUGH %s\n", what); }

/* Log whether a call that the sandbox must refuse was refused: its result is negative. */
static void attempt(const char *what, long result)
{
    if (result < 0)
        dprintf(2, "REFUSED %s: %s\n", what, strerror(errno));
    else
        got(what);
}

/* Read the next question and return its number, from 1. Answers the start line; exits at the end. */
static int ask(void)
{
    static int number;
    while (fgets(line_, sizeof line_, stdin)) {
        if (strstr(line_, "\"type\":\"start\""))
            dprintf(1, "{\"type\":\"ready\"}\n");
        else if (strstr(line_, "\"type\":\"end\""))
            break;
        else if (strstr(line_, "\"type\":\"move\"")) {
            char *first = strstr(line_, "\"legal\":[\"") + 10;
            size_t length = strcspn(first, "\"");
            memcpy(move_, first, length);
            move_[length] = 0;
            if (accounts)
                dprintf(2, "CPU %ld\n", clock() / 1000);
            return ++number;
        }
    }
    _exit(0);
}

static void play(void) { dprintf(1, "{\"move\":\"%s\"}\n", move_); }

/* Play the rest of the match well. */
static void play_on(void)
{
    for (;;) {
        play();
        ask();
    }
}

/* Take memory by `take`, which returns the bytes that it got, or 0 if it gets no more. Takes a
   little at each question, so that it never exceeds its time, and logs whether it holds more than
   `limit` bytes from one question to the next. */
static void hold_more_than(long limit, long (*take)(void))
{
    long held = 0, before, more = 1;
    tried();
    for (;;) {
        ask();
        before = held;
        while (more > 0 && held < before + limit / 6)
            held += more = take();
        dprintf(2, "holds %ld KiB\n", held >> 10);
        if (before > limit)
            got("memory held from one question to the next");
        play();
    }
}

static void hold(long (*take)(void)) { hold_more_than(MEMORY_MIB * MIB * 3 / 2, take); }

/* Write to all pages of a mapping; return its size, or 0 if it failed. */
static long touch(char *pages, long size)
{
    if (pages == MAP_FAILED || !pages)
        return 0;
    for (long at = 0; at < size; at += 4096)
        *(volatile char *)(pages + at) = 1;
    return size;
}

/* A preloaded library that moves a program's time of day by CARDROOM_CLOCK seconds. The monotonic
 * clock stays the same, as on a machine with a wrong time of day. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void)
{
    static long seconds;
    static int is_known;
    if (!is_known) {
        const char *text = getenv("CARDROOM_CLOCK");
        seconds = text ? atol(text) : 0;
        is_known = 1;
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int error = (int)syscall(SYS_clock_gettime, clock, now);
    if (!error && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += shift();
    return error;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int error = (int)syscall(SYS_gettimeofday, now, zone);
    if (!error)
        now->tv_sec += shift();
    return error;
}

time_t time(time_t *copy)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (copy)
        *copy = now.tv_sec;
    return now.tv_sec;
}

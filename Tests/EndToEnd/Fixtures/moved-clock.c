// Moves the wall clock of the program that preloads this library: CLOCK_REALTIME is the machine's clock plus the seconds in the file
// that MOVED_CLOCK names, a 64-bit integer that may change at any time. Every other clock is the machine's.
//
// libfaketime is no alternative: it changes the environment before the program starts, after which a Swift program no longer finds
// its arguments.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved_seconds;

__attribute__((constructor)) static void map_file(void) {
    const char *path = getenv("MOVED_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *content = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *moved_seconds, PROT_READ, MAP_SHARED, file, 0);
    if (content == MAP_FAILED) abort();
    moved_seconds = content;
    close(file);
}

static time_t offset(void) { return moved_seconds ? (time_t)*moved_seconds : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    int result = clock_gettime(CLOCK_REALTIME, &precise);
    (void)zone;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return result;
}

time_t time(time_t *seconds) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}

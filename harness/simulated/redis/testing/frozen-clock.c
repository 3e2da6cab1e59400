/*
 * A wall clock that stands still until it is told otherwise, for whoever preloads this library: the differential test
 * gives a real Redis the same time as the simulated one, so that expiry compares byte for byte.
 *
 * The time, a native int64 in microseconds since 1970, is the first 8 bytes of the file that FROZEN_CLOCK names. The
 * monotonic clock is never touched.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t start = 1700000000000000LL;
static const int64_t *now_us = &start;

__attribute__((constructor)) static void initialise(void) {
  const char *path = getenv("FROZEN_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) now_us = mapped;
  close(file);
}

static int64_t read_clock(void) { return __atomic_load_n(now_us, __ATOMIC_RELAXED); }

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return (int)syscall(SYS_clock_gettime, clock, now);
  int64_t us = read_clock();
  now->tv_sec = us / 1000000;
  now->tv_nsec = us % 1000000 * 1000;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int64_t us = read_clock();
  (void)zone;
  now->tv_sec = us / 1000000;
  now->tv_usec = us % 1000000;
  return 0;
}

time_t time(time_t *result) {
  time_t now = read_clock() / 1000000;
  if (result != NULL) *result = now;
  return now;
}

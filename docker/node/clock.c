/*
 * A wall clock that can be wrong: adds an offset to CLOCK_REALTIME, for whoever preloads this library.
 *
 * The offset, a native int64 in microseconds, is the first 8 bytes of the file that LOCKSTORM_CLOCK names. The file is
 * mapped, so that one 8-byte write by anybody is a clock jump, at once and without a system call on this side. Without
 * the variable, or without the file, the clock is right. The monotonic clock is never touched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS 1000000000LL

static const int64_t none = 0;
static const int64_t *offset_us = &none;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void initialise(void) {
  const char *path = getenv("LOCKSTORM_CLOCK");
  struct stat status;
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (fstat(file, &status) == 0 && status.st_size >= (off_t)sizeof(int64_t)) {
      void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
      if (mapped != MAP_FAILED) offset_us = mapped;
    }
    close(file);
  }
  real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  /* Allocators read the clock while the process is still being linked, and dlsym may allocate: until then, ask the kernel. */
  int result = real_clock_gettime == NULL ? (int)syscall(SYS_clock_gettime, clock, now) : real_clock_gettime(clock, now);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t offset = __atomic_load_n(offset_us, __ATOMIC_RELAXED);
  int64_t nanoseconds = now->tv_nsec + offset % 1000000 * 1000;
  now->tv_sec += offset / 1000000;
  if (nanoseconds < 0) now->tv_sec -= 1, nanoseconds += NANOSECONDS;
  if (nanoseconds >= NANOSECONDS) now->tv_sec += 1, nanoseconds -= NANOSECONDS;
  now->tv_nsec = (long)nanoseconds;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME_COARSE, &precise) != 0) return -1;
  if (result != NULL) *result = precise.tv_sec;
  return precise.tv_sec;
}

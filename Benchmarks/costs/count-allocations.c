/* Counts a program's allocations: preloaded, it stands before the functions of the program's allocator.

   The counts are two 64-bit integers, the number of allocations and their bytes as requested, at the beginning of the
   file that ERRAND_COSTS names. Another process maps the file and reads them at any time. A `realloc` counts as an
   allocation of its new size. Memory from `mmap` does not count: it is a system call.

   cc -O2 -shared -fPIC -o count-allocations.so count-allocations.c */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

struct counts {
    uint64_t allocations, bytes;
};

/* The program's allocator: jemalloc in a release build, else that of libc. */
static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_memalign)(size_t, size_t);
static void (*next_free)(void *);

/* What dlsym allocates while it finds the allocator, in the only thread there is. Never freed. */
static char early[4096] __attribute__((aligned(16)));
static size_t early_used;

static int is_early(const void *memory) {
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

static void *take_early(size_t size) {
    size = (size + 15) & ~(size_t)15;
    if (size > sizeof early - early_used) abort();
    void *taken = early + early_used;
    early_used += size;
    return taken;
}

/* Returns 0 while the allocator is being found. */
static int found(void) {
    static int began;
    if (next_free) return 1;
    if (began) return 0;
    began = 1;
    next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    next_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    next_memalign = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "memalign");
    next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    if (!next_malloc || !next_calloc || !next_realloc || !next_memalign || !next_free) abort();
    return 1;
}

/* Takes the counts of the time before the file is mapped. */
static struct counts unread;
static struct counts *counts = &unread;

static void count(size_t bytes) {
    __atomic_fetch_add(&counts->allocations, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts->bytes, bytes, __ATOMIC_RELAXED);
}

/* Runs before the program's first thread. */
__attribute__((constructor)) static void open_counts(void) {
    const char *path = getenv("ERRAND_COSTS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(0, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) counts = mapped;
    /* strace may attach, also where Yama permits it to ancestors only. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

void *malloc(size_t size) {
    if (!found()) return take_early(size);
    count(size);
    return next_malloc(size);
}

void *calloc(size_t number, size_t size) {
    if (!found()) return take_early(number * size);
    count(number * size);
    return next_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    if (!found() || is_early(old)) abort();
    count(size);
    return next_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    if (!found()) abort();
    count(size);
    return next_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || alignment & (alignment - 1)) return EINVAL;
    int before = errno;
    void *allocated = memalign(alignment, size);
    errno = before;
    if (!allocated) return ENOMEM;
    *memory = allocated;
    return 0;
}

void free(void *memory) {
    if (!memory || is_early(memory)) return;
    if (found()) next_free(memory);
}

/* Counts a program's allocations: preloaded, it replaces the functions of libc that allocate memory.

   The counts are two 64-bit integers, the number of allocations and their bytes as requested, at the beginning of the
   file that ERRAND_COSTS names. Another process maps the file and reads them at any time. A `realloc` counts as an
   allocation of its new size. Memory from `mmap` does not count: it is a system call.

   cc -O2 -shared -fPIC -o count-allocations.so count-allocations.c */
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

/* glibc exports its own functions also under these names, so that no dlsym, which allocates, has to find them. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

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
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count(size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
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

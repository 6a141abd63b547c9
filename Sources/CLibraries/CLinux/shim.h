/* Parts of Linux that Swift's Glibc module lacks: epoll, eventfd, thread names, parts of posix_spawn, fallocate,
   renameat2. */
#ifndef ERRAND_CLINUX_SHIM_H
#define ERRAND_CLINUX_SHIM_H

#include <linux/falloc.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/types.h>

/* Declared only with _GNU_SOURCE, which a module map cannot define before the first system header. */
extern int pthread_setname_np(pthread_t thread, const char *name);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/* Reserves the space for the first bytes of a file, without changing its size. */
extern int fallocate(int descriptor, int mode, off_t offset, off_t length);
static inline int clinux_reserve(int descriptor, off_t length) {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, length);
}

extern int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned int flags);

/* Renames a file, unless there is anything at the new path. -100 is AT_FDCWD, and 1 RENAME_NOREPLACE: their headers would
   declare types of Glibc a second time. */
static inline int clinux_rename_to_free(const char *path, const char *new_path) {
    return renameat2(-100, path, -100, new_path, 1);
}

/* jemalloc's control, if the program is linked to it: only the release build is. */
extern int mallctl(const char *name, void *old, size_t *old_length, void *new_value, size_t new_length)
    __attribute__((weak));

/* Returns free memory to the system. 4096 is jemalloc's number for all arenas (MALLCTL_ARENAS_ALL). */
static inline void clinux_give_memory_back(void) {
    if (mallctl)
        (void)mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
    else
        (void)malloc_trim(0);
}

static inline int clinux_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

static inline int clinux_eventfd(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static inline int clinux_epoll_add(int set, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int clinux_epoll_modify(int set, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
    return epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event);
}

static inline int clinux_epoll_delete(int set, int descriptor) {
    return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, 0);
}

static const uint32_t clinux_EPOLLIN = EPOLLIN;
static const uint32_t clinux_EPOLLOUT = EPOLLOUT;
static const uint32_t clinux_EPOLLRDHUP = EPOLLRDHUP;
static const uint32_t clinux_EPOLLHUP = EPOLLHUP;
static const uint32_t clinux_EPOLLERR = EPOLLERR;
static const uint32_t clinux_EPOLLET = EPOLLET;

#endif

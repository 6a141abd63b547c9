/* Replacements of the functions by which libmicrohttpd receives: `recv` of libc and `gnutls_record_recv` of GnuTLS.
 *
 * The dynamic linker prefers the definitions of the program to those of libraries. A thread that drives libmicrohttpd
 * can therefore inspect received bytes first; on other threads the functions behave like the originals. */
#ifndef ERRAND_CSERVERREADS_H
#define ERRAND_CSERVERREADS_H

#include <stddef.h>
#include <sys/types.h>

/* The functions that receive on a thread instead of the originals. */
struct cserverreads_receiver {
    void *context;
    ssize_t (*receive)(void *context, int socket, void *buffer, size_t size, int flags);
    ssize_t (*receive_record)(void *context, void *session, void *buffer, size_t size);
};

/* Sets the receiver of the calling thread; NULL restores the originals. It must live until it is replaced. */
void cserverreads_set_receiver(const struct cserverreads_receiver *receiver);

/* True if libraries call these definitions in this process. */
int cserverreads_are_in_force(void);

/* The original functions. */
ssize_t cserverreads_receive(int socket, void *buffer, size_t size, int flags);
ssize_t cserverreads_receive_record(void *session, void *buffer, size_t size);

#endif

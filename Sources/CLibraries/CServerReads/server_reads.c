/* In C, because Swift cannot give a function the visibility that the linker exports to libraries. */
#define _GNU_SOURCE
#include "server_reads.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

#define EXPORTED __attribute__((visibility("default")))

/* GNUTLS_E_INTERNAL_ERROR: receiving is impossible without GnuTLS. */
enum { RECORD_ERROR = -59 };

typedef ssize_t (*record_function)(void *session, void *buffer, size_t size);

static _Thread_local const struct cserverreads_receiver *receiver;
static record_function original_record;

EXPORTED ssize_t recv(int socket, void *buffer, size_t size, int flags);
EXPORTED ssize_t gnutls_record_recv(void *session, void *buffer, size_t size);

/* Runs before other threads exist. */
__attribute__((constructor)) static void find_originals(void) {
    original_record = (record_function)dlsym(RTLD_NEXT, "gnutls_record_recv");
}

void cserverreads_set_receiver(const struct cserverreads_receiver *new_receiver) {
    receiver = new_receiver;
}

int cserverreads_are_in_force(void) {
    return original_record && dlsym(RTLD_DEFAULT, "recv") == (void *)recv
        && dlsym(RTLD_DEFAULT, "gnutls_record_recv") == (void *)gnutls_record_recv;
}

ssize_t cserverreads_receive(int socket, void *buffer, size_t size, int flags) {
    return recvfrom(socket, buffer, size, flags, NULL, NULL);
}

ssize_t cserverreads_receive_record(void *session, void *buffer, size_t size) {
    return original_record ? original_record(session, buffer, size) : RECORD_ERROR;
}

ssize_t recv(int socket, void *buffer, size_t size, int flags) {
    const struct cserverreads_receiver *current = receiver;
    return current ? current->receive(current->context, socket, buffer, size, flags)
                   : cserverreads_receive(socket, buffer, size, flags);
}

ssize_t gnutls_record_recv(void *session, void *buffer, size_t size) {
    const struct cserverreads_receiver *current = receiver;
    return current ? current->receive_record(current->context, session, buffer, size)
                   : cserverreads_receive_record(session, buffer, size);
}

/* libmicrohttpd for Swift: its variadic functions and macros as plain functions and constants. */
#ifndef ERRAND_CMICROHTTPD_SHIM_H
#define ERRAND_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* Declared only with _GNU_SOURCE, which a module map cannot define before the first system header. */
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

struct cmicrohttpd_callbacks {
    void *context;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback access;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    MHD_LogCallback log;
};

struct cmicrohttpd_limits {
    unsigned int connections;
    size_t connection_memory;
};

/* A callback of type gnutls_certificate_retrieve_function2 that fails the handshake. The daemon needs a certificate or
 * such a callback to start; a session with credentials of its own does not call it. */
static inline int cmicrohttpd_no_certificate(
    void *session, const void *authorities, int authority_count, const void *algorithms, int algorithm_count,
    void **chain, unsigned int *chain_length, void **key) {
    (void)session, (void)authorities, (void)authority_count, (void)algorithms, (void)algorithm_count;
    (void)chain, (void)chain_length, (void)key;
    return -1;
}

/* Starts a daemon without a thread and a listening socket, which serves added connections in MHD_run.
 * It uses TLS, with GnuTLS's priority string `tls`, unless that is NULL. The connection callback must then give the
 * session its credentials.
 * SIGPIPE counts as handled: the thread that runs the daemon must block or ignore it. */
static inline struct MHD_Daemon *cmicrohttpd_start(
    const struct cmicrohttpd_callbacks *callbacks, const struct cmicrohttpd_limits *limits,
    const char *tls) {
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)tls},
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)cmicrohttpd_no_certificate},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem options[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)callbacks->log, callbacks->context},
        {MHD_OPTION_CONNECTION_LIMIT, limits->connections, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)limits->connection_memory, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, 0, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 0, NULL},
        {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)callbacks->target, callbacks->context},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)callbacks->completed, callbacks->context},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)callbacks->connection, callbacks->context},
        {tls ? MHD_OPTION_ARRAY : MHD_OPTION_END, 0, secure},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | (tls ? MHD_USE_TLS : 0),
        0, NULL, NULL, callbacks->access, callbacks->context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/* Accepts a connection; returns -1 with the reason in errno if there is none. */
static inline int cmicrohttpd_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* Adds an accepted connection to a daemon, which closes it if it cannot serve it. */
static inline void cmicrohttpd_add(
    struct MHD_Daemon *daemon, int socket, const struct sockaddr_storage *address, socklen_t length) {
    (void)MHD_add_connection(daemon, socket, (const struct sockaddr *)address, length);
}

/* The descriptor that is readable when MHD_run has work to do, or -1. */
static inline int cmicrohttpd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/* The socket of a connection, or -1. */
static inline int cmicrohttpd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* The context that the connection callback has stored, or NULL. */
static inline void *cmicrohttpd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The address of the peer, or NULL. */
static inline const struct sockaddr *cmicrohttpd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/* The length of the request line and header section, in bytes. */
static inline size_t cmicrohttpd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* The GnuTLS session of a connection, or NULL for one without TLS. */
static inline void *cmicrohttpd_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

/* The number of unread bytes of a socket, or -1. */
static inline int cmicrohttpd_unread(int socket) {
    int count = 0;
    return ioctl(socket, FIONREAD, &count) == 0 ? count : -1;
}

/* Ends a response without a length by closing the connection, not with chunks. */
static inline enum MHD_Result cmicrohttpd_end_with_connection(struct MHD_Response *response) {
    return MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

static const uint64_t cmicrohttpd_size_unknown = MHD_SIZE_UNKNOWN;
static const ssize_t cmicrohttpd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t cmicrohttpd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

#endif

/* Typed functions for the variadic functions and macros of libcurl, which Swift cannot import. */
#ifndef ERRAND_CCURL_SHIM_H
#define ERRAND_CCURL_SHIM_H

/* Distinct handle types instead of void pointers. */
#define CURL_STRICTER 1
/* The wrappers below are the type check. */
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The version of the library at run time: 0x0758XX is 7.88. */
static inline unsigned int ccurl_version(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num;
}

/* Options of an easy handle */

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_url(CURL *easy, CURLU *url) {
    return curl_easy_setopt(easy, CURLOPT_CURLU, url);
}

/* Callbacks of an easy handle, each with its context */

typedef size_t (*ccurl_transfer_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_seek_function)(void *context, curl_off_t offset, int origin);
typedef curl_socket_t (*ccurl_open_socket_function)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*ccurl_close_socket_function)(void *context, curl_socket_t socket);
typedef CURLcode (*ccurl_tls_context_function)(CURL *easy, void *tls_context, void *context);

static inline CURLcode ccurl_set_write(CURL *easy, ccurl_transfer_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode ccurl_set_header(CURL *easy, ccurl_transfer_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

static inline CURLcode ccurl_set_read(CURL *easy, ccurl_transfer_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_READDATA, context);
}

static inline CURLcode ccurl_set_seek(CURL *easy, ccurl_seek_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
}

static inline CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLcode ccurl_set_resolver_start(CURL *easy, curl_resolver_start_callback function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, context);
}

static inline CURLcode ccurl_set_open_socket(CURL *easy, ccurl_open_socket_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode ccurl_set_close_socket(CURL *easy, ccurl_close_socket_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
}

/* `function` gets the SSL_CTX before each handshake, also before that with a proxy. */
static inline CURLcode ccurl_set_tls_context(CURL *easy, ccurl_tls_context_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context);
}

typedef int (*ccurl_debug_function)(CURL *easy, curl_infotype type, char *text, size_t length, void *context);

/* `function` gets libcurl's debug messages from now on. */
static inline CURLcode ccurl_set_debug(CURL *easy, ccurl_debug_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return code ? code : curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

/* The 4 bytes of an IPv4 address or the 16 of an IPv6 address in network order, and their number; 0 for others. */
static inline int ccurl_ip_address(const struct curl_sockaddr *address, unsigned char bytes[16]) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in four;
        memcpy(&four, &address->addr, sizeof four);
        memcpy(bytes, &four.sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 six;
        memcpy(&six, &address->addr, sizeof six);
        memcpy(bytes, &six.sin6_addr, 16);
        return 16;
    }
    return 0;
}

/* Creates a socket for an address as libcurl would. */
static inline curl_socket_t ccurl_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* An identity that distinguishes a socket from a later one with the same descriptor, or 0 if unavailable. */
static inline uint64_t ccurl_socket_identity(curl_socket_t socket) {
    struct stat status;
    return fstat(socket, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

static inline int ccurl_close(curl_socket_t socket) {
    return close(socket);
}

/* Shuts down both directions: later reads and writes fail. */
static inline void ccurl_shutdown(curl_socket_t socket) {
    (void)shutdown(socket, SHUT_RDWR);
}

/* The number of bytes received on a TCP socket so far; -1 for others. */
static inline int64_t ccurl_bytes_read(curl_socket_t socket) {
    /* TCP_INFO (11), in the kernel's layout: tcpi_bytes_received is the 17th word of eight bytes. The structure of
       the C library may be older than that. */
    uint64_t information[32];
    socklen_t length = sizeof information;
    int waiting = 0;
    if (getsockopt(socket, IPPROTO_TCP, 11, information, &length) != 0) return -1;
    if (length < 17 * sizeof information[0] || ioctl(socket, FIONREAD, &waiting) != 0) return -1;
    return (int64_t)information[16] - waiting;
}

/* The clock of the processor time that the calling thread uses, for ccurl_thread_time; -1 when there is none. */
static inline clockid_t ccurl_thread_clock(void) {
    clockid_t clock;
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : -1;
}

/* The processor time that a thread has used, in nanoseconds; -1 when it has ended. */
static inline int64_t ccurl_thread_time(clockid_t clock) {
    struct timespec time;
    if (clock == -1 || clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* True if both sides of a TCP connection are open: TCP_INFO (11) begins with the state, 1 for ESTABLISHED. */
static inline _Bool ccurl_is_established(curl_socket_t socket) {
    unsigned char state = 0;
    socklen_t length = sizeof state;
    return getsockopt(socket, IPPROTO_TCP, 11, &state, &length) == 0 && state == 1;
}

/* The local port of an IP socket, or 0. */
static inline int ccurl_local_port(curl_socket_t socket) {
    struct sockaddr_storage address;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    socklen_t length = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return 0;
    if (address.ss_family == AF_INET) {
        memcpy(&four, &address, sizeof four);
        return ntohs(four.sin_port);
    }
    if (address.ss_family == AF_INET6) {
        memcpy(&six, &address, sizeof six);
        return ntohs(six.sin6_port);
    }
    return 0;
}

/* Information about a finished transfer */

static inline void *ccurl_context(CURL *easy) {
    char *context = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
    return context;
}

/* The OpenSSL connection (`SSL *`) that a transfer uses; null without TLS, or with another TLS library. */
static inline void *ccurl_tls_connection(CURL *easy) {
    struct curl_tlssessioninfo *info = 0;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) || !info) return 0;
    return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : 0;
}

static inline curl_off_t ccurl_uploaded(CURL *easy) {
    curl_off_t bytes = 0;
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &bytes);
    return bytes;
}

/* The local port of the last connection of a transfer, or 0. */
static inline long ccurl_transfer_port(CURL *easy) {
    long port = 0;
    curl_easy_getinfo(easy, CURLINFO_LOCAL_PORT, &port);
    return port;
}

/* The reply of a SOCKS proxy. */
static inline CURLproxycode ccurl_proxy_error(CURL *easy) {
    long code = 0;
    curl_easy_getinfo(easy, CURLINFO_PROXY_ERROR, &code);
    return (CURLproxycode)code;
}

/* The error number (errno) of the last connection that failed, or 0. */
static inline long ccurl_system_error(CURL *easy) {
    long error = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &error);
    return error;
}

/* The status of an HTTP proxy's response to CONNECT, or 0. */
static inline long ccurl_proxy_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
    return status;
}

/* All measurements in one call. Times are microseconds since the handle was added. */
typedef struct ccurl_measurements {
    curl_off_t name_lookup, connect, tls_handshake, pre_transfer, start_transfer;
    curl_off_t uploaded, downloaded;
    long request_bytes, header_bytes, new_connections, http_version, port, os_error;
    const char *address; /* valid until the handle is used again */
} ccurl_measurements;

static inline void ccurl_measure(CURL *easy, ccurl_measurements *into) {
    char *address = 0;
    curl_easy_getinfo(easy, CURLINFO_NAMELOOKUP_TIME_T, &into->name_lookup);
    curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &into->connect);
    curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &into->tls_handshake);
    curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &into->pre_transfer);
    curl_easy_getinfo(easy, CURLINFO_STARTTRANSFER_TIME_T, &into->start_transfer);
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &into->uploaded);
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &into->downloaded);
    curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &into->request_bytes);
    curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &into->header_bytes);
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &into->new_connections);
    curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &into->http_version);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &into->port);
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &into->os_error);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &address);
    into->address = address;
}

/* The multi handle */

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket(CURLM *multi, curl_socket_callback function, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

static inline CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback function, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

/* The next finished transfer with its result, or null. */
static inline CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return 0;
}

/* Constants that are macros */

static const int ccurl_ERROR_SIZE = CURL_ERROR_SIZE;
static const size_t ccurl_WRITEFUNC_PAUSE = CURL_WRITEFUNC_PAUSE;
static const size_t ccurl_READFUNC_PAUSE = CURL_READFUNC_PAUSE;
static const size_t ccurl_READFUNC_ABORT = CURL_READFUNC_ABORT;
static const int ccurl_PAUSE_RECEIVE = CURLPAUSE_RECV;
static const int ccurl_PAUSE_SEND = CURLPAUSE_SEND;
static const int ccurl_SEEK_OK = CURL_SEEKFUNC_OK;
static const int ccurl_SEEK_FAIL = CURL_SEEKFUNC_FAIL;
static const int ccurl_PREREQUEST_OK = CURL_PREREQFUNC_OK;
static const int ccurl_PREREQUEST_ABORT = CURL_PREREQFUNC_ABORT;
static const curl_socket_t ccurl_SOCKET_BAD = CURL_SOCKET_BAD;
static const curl_socket_t ccurl_SOCKET_TIMEOUT = CURL_SOCKET_TIMEOUT;
static const int ccurl_POLL_IN = CURL_POLL_IN;
static const int ccurl_POLL_OUT = CURL_POLL_OUT;
static const int ccurl_POLL_INOUT = CURL_POLL_INOUT;
static const int ccurl_POLL_REMOVE = CURL_POLL_REMOVE;
static const int ccurl_SELECT_IN = CURL_CSELECT_IN;
static const int ccurl_SELECT_OUT = CURL_CSELECT_OUT;
static const int ccurl_SELECT_ERROR = CURL_CSELECT_ERR;
static const long ccurl_HTTP_1_1 = CURL_HTTP_VERSION_1_1;
static const long ccurl_HTTP_2_TLS = CURL_HTTP_VERSION_2TLS;
static const long ccurl_HTTP_2_PRIOR_KNOWLEDGE = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
static const long ccurl_TLS_1_2 = CURL_SSLVERSION_TLSv1_2;
static const long ccurl_TLS_1_3 = CURL_SSLVERSION_TLSv1_3;
static const long ccurl_GLOBAL_DEFAULT = CURL_GLOBAL_DEFAULT;

#endif

/* The baseline for the transfer engine: the minimal program that runs N small transfers, C at a time, with
   libcurl's curl_multi_socket_action over epoll. Connections are kept, handles are reused, descriptors stay registered
   between two transfers.

   cc -O2 -o curl-loop curl-loop.c -lcurl
   curl-loop URL TRANSFERS CONCURRENCY [PARKED-URL PARKED] */
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SOCKETS = 65536, MAX_EVENTS = 256 };

static int epoll_set;
static unsigned char masks[MAX_SOCKETS], wanted[MAX_SOCKETS];
static long timeout_ms = -1;
static long started, finished, failed, transfers;

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

static int forget_and_close(void *context, curl_socket_t socket) {
    (void)context;
    masks[socket] = wanted[socket] = 0;
    return close(socket);
}

static int socket_changed(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context) {
    (void)easy;
    (void)context;
    (void)socket_context;
    if (socket >= MAX_SOCKETS) exit(2);
    wanted[socket] = what != CURL_POLL_REMOVE;
    if (what == CURL_POLL_REMOVE || masks[socket] == what) return 0;
    struct epoll_event event = {.events = ((what & CURL_POLL_IN) ? EPOLLIN : 0) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0),
                                .data.fd = socket};
    epoll_ctl(epoll_set, masks[socket] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    masks[socket] = what;
    return 0;
}

static int timer_changed(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    (void)context;
    timeout_ms = milliseconds;
    return 0;
}

static CURL *new_handle(const char *url) {
    CURL *easy = curl_easy_init();
    if (!easy) exit(2);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, forget_and_close);
    return easy;
}

/* Removes finished transfers and starts the next ones with their handles. */
static void drain(CURLM *multi) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        CURL *easy = message->easy_handle;
        if (message->data.result != CURLE_OK) failed++;
        finished++;
        curl_multi_remove_handle(multi, easy);
        if (started < transfers) {
            started++;
            curl_multi_add_handle(multi, easy);
        }
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 4 && count != 6) {
        fprintf(stderr, "usage: curl-loop URL TRANSFERS CONCURRENCY [PARKED-URL PARKED]\n");
        return 64;
    }
    transfers = atol(arguments[2]);
    long concurrency = atol(arguments[3]);
    long parked = count == 6 ? atol(arguments[5]) : 0;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    epoll_set = epoll_create1(EPOLL_CLOEXEC);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer_changed);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, concurrency + parked);
    for (long index = 0; index < parked; index++) curl_multi_add_handle(multi, new_handle(arguments[4]));

    double start = 0;
    int running;
    /* The parked transfers get two seconds to reach the server, before the measurement. */
    double begin = seconds() + (parked ? 2 : 0);
    for (;;) {
        if (!start && seconds() >= begin) {
            for (long index = 0; index < concurrency && started < transfers; index++, started++)
                curl_multi_add_handle(multi, new_handle(arguments[1]));
            start = seconds();
        }
        if (timeout_ms == 0) {
            timeout_ms = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
            drain(multi);
        }
        if (start && finished >= transfers) break;
        struct epoll_event events[MAX_EVENTS];
        int wait = start ? (int)timeout_ms : 10;
        int ready = epoll_wait(epoll_set, events, MAX_EVENTS, wait);
        if (ready == 0 && timeout_ms > 0) timeout_ms = 0;
        for (int index = 0; index < ready; index++) {
            int socket = events[index].data.fd;
            if (!wanted[socket]) {
                epoll_ctl(epoll_set, EPOLL_CTL_DEL, socket, 0);
                masks[socket] = 0;
                continue;
            }
            int bits = ((events[index].events & (EPOLLIN | EPOLLHUP)) ? CURL_CSELECT_IN : 0) |
                       ((events[index].events & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
                       ((events[index].events & EPOLLERR) ? CURL_CSELECT_ERR : 0);
            curl_multi_socket_action(multi, socket, bits, &running);
        }
        drain(multi);
    }
    double elapsed = seconds() - start;
    printf("%.0f transfers/s, %ld failed\n", transfers / elapsed, failed);
    return failed ? 1 : 0;
}

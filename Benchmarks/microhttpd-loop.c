/* The baseline for the server: the smallest program over libmicrohttpd and epoll, on one thread, that responds to every
   request with 200 and the same body. Prints its port (PORT 0 selects a free one), and runs until it is killed.

   The loop is this program's own: libmicrohttpd's own thread stalls when exactly 128 connections are ready at once.

   cc -O2 -o microhttpd-loop microhttpd-loop.c -lmicrohttpd
   microhttpd-loop PORT BODY */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum MHD_Result respond(
    void *response, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *bytes, size_t *count, void **state
) {
    (void)url, (void)method, (void)version, (void)bytes;
    if (*state == NULL || *count > 0) {
        *state = response;
        *count = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

int main(int count, char **arguments) {
    if (count != 3) {
        fputs("usage: microhttpd-loop PORT BODY\n", stderr);
        return 64;
    }
    unsigned short port = (unsigned short)atoi(arguments[1]);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(arguments[2]), arguments[2], MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, "Content-Type", "application/json");
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_ERROR_LOG, port, NULL, NULL, respond, response, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_LIMIT, 4096u, MHD_OPTION_END);
    if (daemon == NULL) return 1;
    printf("%d\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    struct pollfd ready = {
        .fd = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, .events = POLLIN};
    for (;;) {
        MHD_UNSIGNED_LONG_LONG timeout;
        poll(&ready, 1, MHD_get_timeout(daemon, &timeout) == MHD_YES ? (int)timeout : -1);
        MHD_run(daemon);
    }
}

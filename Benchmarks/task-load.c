/* task-load: creates tasks over many keep-alive connections, waits for the last one, and prints the times.
 *
 * One thread with epoll, so that the load generator takes little CPU time from the gateway. Every response is checked: a
 * status other than 202, a lost connection or a failed task ends the run with status 1.
 *
 * usage: task-load [-m] [-c CONNECTIONS] [-n TASKS] [-t TOKEN] HOST PORT TASK-JSON
 *        -m prints one line for programs instead: tasks per second until the last one is done, and p50 and p99 of the
 *        create latency in milliseconds.
 * build: cc -O2 -Wall -Wextra -Werror -o task-load task-load.c
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 * 1024, EVENTS = 256, POLL_NANOSECONDS = 10 * 1000 * 1000 };

/* A keep-alive connection with at most one active request. */
typedef struct {
    int descriptor;
    size_t sent;        /* bytes of the request that are out */
    size_t received;    /* bytes of the response in the buffer */
    double started_at;  /* seconds */
    bool is_busy;
    char buffer[BUFFER_BYTES];
} Connection;

typedef struct {
    int status;
    const char *body;
    size_t body_bytes;
} Response;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("task-load: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static long positive(const char *text, const char *what) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < 1) fail("%s: expected a positive number, found \"%s\"", what, text);
    return value;
}

static struct addrinfo *resolve(const char *host, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    int code = getaddrinfo(host, port, &hints, &found);
    if (code != 0) fail("%s:%s: %s", host, port, gai_strerror(code));
    return found;
}

static void open_connection(Connection *connection, const struct addrinfo *address, int set) {
    int on = 1;
    int descriptor = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) fail("socket: %s", strerror(errno));
    if (connect(descriptor, address->ai_addr, address->ai_addrlen) != 0) fail("connect: %s", strerror(errno));
    if (setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) fail("TCP_NODELAY: %s", strerror(errno));
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = connection}};
    if (set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll_ctl: %s", strerror(errno));
    connection->descriptor = descriptor;
}

/* A request is a few hundred bytes on an idle connection: one blocking call sends it. */
static void send_request(Connection *connection, const char *request, size_t bytes) {
    connection->started_at = now();
    connection->received = 0;
    connection->is_busy = true;
    for (connection->sent = 0; connection->sent < bytes;) {
        ssize_t count = send(connection->descriptor, request + connection->sent, bytes - connection->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("send: %s", strerror(errno));
        connection->sent += (size_t)count;
    }
}

/* Reads available bytes; returns true if the response is complete. The buffer stays zero-terminated. */
static bool receive_response(Connection *connection, Response *response) {
    size_t space = BUFFER_BYTES - 1 - connection->received;
    if (space == 0) fail("a response is longer than %d bytes", BUFFER_BYTES - 1);
    ssize_t count = recv(connection->descriptor, connection->buffer + connection->received, space, 0);
    if (count < 0 && errno == EINTR) return false;
    if (count < 0) fail("recv: %s", strerror(errno));
    if (count == 0) fail("the server closed a connection%s", connection->is_busy ? " before its response was complete" : "");
    connection->received += (size_t)count;
    connection->buffer[connection->received] = '\0';

    char *head_end = strstr(connection->buffer, "\r\n\r\n");
    if (head_end == NULL) return false;
    char *length = strcasestr(connection->buffer, "\r\ncontent-length:");
    if (length == NULL || length > head_end) fail("a response has no Content-Length");
    response->body = head_end + 4;
    response->body_bytes = strtoul(length + strlen("\r\ncontent-length:"), NULL, 10);
    if (sscanf(connection->buffer, "HTTP/1.1 %3d", &response->status) != 1) fail("a response is not HTTP/1.1");
    if (connection->received < (size_t)(response->body - connection->buffer) + response->body_bytes) return false;
    connection->is_busy = false;
    return true;
}

static void expect_status(const Response *response, int status) {
    if (response->status != status) {
        fail("expected status %d, found %d: %.*s", status, response->status, (int)response->body_bytes, response->body);
    }
}

static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Keeps every connection busy until all tasks are acknowledged. */
static void create_tasks(
    Connection *connections, long count, int set, const char *request, size_t bytes, double *latencies, long tasks
) {
    long started = 0, done = 0;
    for (; started < count && started < tasks; started++) send_request(&connections[started], request, bytes);
    while (done < tasks) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(set, events, EVENTS, -1);
        if (ready < 0 && errno != EINTR) fail("epoll_wait: %s", strerror(errno));
        for (int index = 0; index < ready; index++) {
            Connection *connection = events[index].data.ptr;
            Response response;
            if (!receive_response(connection, &response)) continue;
            expect_status(&response, 202);
            if (strstr(response.body, "\"id\":\"") == NULL) fail("a response has no id: %s", response.body);
            latencies[done++] = now() - connection->started_at;
            if (started < tasks) {
                send_request(connection, request, bytes);
                started++;
            }
        }
    }
}

/* Returns true if the list of tasks with this query is empty. */
static bool is_empty(Connection *connection, const char *host, const char *authorization, const char *query) {
    char request[2048];
    int bytes = snprintf(
        request, sizeof request, "GET /v1/tasks?page_size=1%s HTTP/1.1\r\nHost: %s\r\n%s\r\n", query, host, authorization);
    if (bytes < 0 || (size_t)bytes >= sizeof request) fail("the host or the token is too long");
    send_request(connection, request, (size_t)bytes);
    Response response;
    while (!receive_response(connection, &response)) continue;
    expect_status(&response, 200);
    if (strstr(response.body, "\"tasks\":[") == NULL) fail("not a list of tasks: %s", response.body);
    return strstr(response.body, "\"tasks\":[]") != NULL;
}

static void report(
    double *latencies, long tasks, long connections, double created, double finished, bool is_for_programs
) {
    qsort(latencies, (size_t)tasks, sizeof *latencies, compare);
    double p50 = latencies[tasks / 2] * 1e3, p99 = latencies[tasks * 99 / 100] * 1e3;
    if (is_for_programs) {
        printf("%.1f %.3f %.3f\n", (double)tasks / finished, p50, p99);
        return;
    }
    printf("%ld tasks over %ld connections\n", tasks, connections);
    printf("created in      %8.3f s  %9.0f tasks/s\n", created, (double)tasks / created);
    printf("all done after  %8.3f s  %9.0f tasks/s\n", finished, (double)tasks / finished);
    printf("create latency  p50 %.2f ms  p99 %.2f ms  max %.2f ms\n", p50, p99, latencies[tasks - 1] * 1e3);
}

int main(int argument_count, char **arguments) {
    long count = 64, tasks = 10000;
    const char *token = NULL;
    bool is_for_programs = false;
    for (int option; (option = getopt(argument_count, arguments, "mc:n:t:")) != -1;) {
        switch (option) {
        case 'm': is_for_programs = true; break;
        case 'c': count = positive(optarg, "-c"); break;
        case 'n': tasks = positive(optarg, "-n"); break;
        case 't': token = optarg; break;
        default: return 64;
        }
    }
    if (argument_count - optind != 3) {
        fail("usage: task-load [-m] [-c CONNECTIONS] [-n TASKS] [-t TOKEN] HOST PORT TASK-JSON");
    }
    const char *host = arguments[optind], *json = arguments[optind + 2];
    struct addrinfo *address = resolve(host, arguments[optind + 1]);

    char *authorization = "", *request;
    if (token != NULL && asprintf(&authorization, "Authorization: Bearer %s\r\n", token) < 0) fail("no memory");
    int bytes = asprintf(
        &request, "POST /v1/tasks HTTP/1.1\r\nHost: %s\r\n%sContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        host, authorization, strlen(json), json);
    Connection *connections = calloc((size_t)count, sizeof *connections), *watcher = calloc(1, sizeof *watcher);
    double *latencies = calloc((size_t)tasks, sizeof *latencies);
    if (bytes < 0 || connections == NULL || watcher == NULL || latencies == NULL) fail("no memory");

    int set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) fail("epoll_create1: %s", strerror(errno));
    for (long index = 0; index < count; index++) open_connection(&connections[index], address, set);

    double start = now();
    create_tasks(connections, count, set, request, (size_t)bytes, latencies, tasks);
    double created = now() - start;
    /* Connected only now: the gateway closes a connection that sends no head within server.timeouts.header. */
    open_connection(watcher, address, -1);
    const char *unfinished = "&state=scheduled&state=queued&state=running&state=waiting&state=suspended&state=canceling";
    while (!is_empty(watcher, host, authorization, unfinished)) {
        nanosleep(&(struct timespec){.tv_nsec = POLL_NANOSECONDS}, NULL);
    }
    double finished = now() - start;
    if (!is_empty(watcher, host, authorization, "&state=failed&state=canceled")) fail("not every task succeeded");
    report(latencies, tasks, count, created, finished, is_for_programs);
    return 0;
}

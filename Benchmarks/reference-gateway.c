/* reference-gateway: the least work of a durable gateway, as a baseline for Errand.
 *
 * POST /v1/tasks with {"session":"upstream","path":PATH} stores a task, responds with 202 when the task is on the disk,
 * then requests UPSTREAM/PATH and stores the end. GET /v1/tasks/ID returns the state. The list of tasks, which
 * task-load reads, has an element if a task is in the given states. At most LIMIT requests run at once. There is
 * nothing else: no retries, no time limits, no events, and no recovery of tasks at the start.
 *
 * The main thread serves clients (libmicrohttpd), one thread writes all waiting changes in one transaction (SQLite),
 * and one sends requests to the upstream (libcurl over epoll). SIGTERM and SIGKILL end the program at any time.
 *
 * usage: reference-gateway PORT UPSTREAM DATABASE LIMIT [full|normal]
 *        PORT 0 selects a free port; the port is printed. DATABASE is a new file. The last argument is `synchronous`.
 * build: cc -O2 -Wall -Wextra -Werror -o reference-gateway reference-gateway.c -lmicrohttpd -lcurl -lsqlite3 -lpthread
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <curl/curl.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

enum { MAX_BODY_BYTES = 1024 * 1024, EVENTS = 256 };

/* Bytes with a zero at the end; null while there are none. */
typedef struct {
    char *bytes;
    size_t count;
} Buffer;

/* A request of a client, which becomes a task when it is complete. One thread at a time uses it. */
typedef struct Task {
    struct Task *next;
    enum { RECEIVING, STORING, STORED, ENDED } stage;
    struct MHD_Connection *connection;
    Buffer request, body;
    char *url;
    long id, status;
} Task;

/* Passes tasks to a thread. The event is readable while tasks wait. */
typedef struct {
    pthread_mutex_t lock;
    Task *first, **end;
    int event;
} Queue;

static const char *upstream;
static long limit, last_id;
static Queue changes, stored, starts;
static atomic_long unfinished, failed;
static sqlite3_stmt *lookup;
static CURLM *multi;
static int transfer_events;
static long timer = -1; /* milliseconds of the monotonic clock, or -1 */

static void fail(const char *message) {
    fprintf(stderr, "reference-gateway: %s\n", message);
    exit(1);
}

static bool append(Buffer *buffer, const char *bytes, size_t count) {
    if (buffer->count + count > MAX_BODY_BYTES) return false;
    if ((buffer->bytes = realloc(buffer->bytes, buffer->count + count + 1)) == NULL) fail("no memory");
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->bytes[buffer->count += count] = '\0';
    return true;
}

static void free_task(Task *task) {
    free(task->request.bytes);
    free(task->body.bytes);
    free(task->url);
    free(task);
}

static void open_queue(Queue *queue) {
    pthread_mutex_init(&queue->lock, NULL);
    queue->end = &queue->first;
    if ((queue->event = eventfd(0, EFD_CLOEXEC)) < 0) fail("no descriptor");
}

static void put(Queue *queue, Task *task) {
    task->next = NULL;
    pthread_mutex_lock(&queue->lock);
    bool was_empty = queue->first == NULL;
    *queue->end = task;
    queue->end = &task->next;
    pthread_mutex_unlock(&queue->lock);
    if (was_empty) eventfd_write(queue->event, 1);
}

/* Waits for the event and takes all tasks, the oldest first. */
static Task *take_all(Queue *queue) {
    eventfd_t count;
    eventfd_read(queue->event, &count);
    pthread_mutex_lock(&queue->lock);
    Task *first = queue->first;
    queue->first = NULL;
    queue->end = &queue->first;
    pthread_mutex_unlock(&queue->lock);
    return first;
}

/* The store */

static sqlite3 *open_database(const char *path, const char *settings) {
    sqlite3 *database;
    if (sqlite3_open(path, &database) != SQLITE_OK || sqlite3_exec(database, settings, NULL, NULL, NULL) != SQLITE_OK) {
        fail(sqlite3_errmsg(database));
    }
    return database;
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) fail(sqlite3_errmsg(database));
    return statement;
}

/* A write that fails ends the program: it can no longer keep its promise. */
static void run(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(sqlite3_db_handle(statement)));
    sqlite3_reset(statement);
}

/* The writer: stores all waiting tasks and ends in one transaction, and continues with them after the commit. */
static void *write_changes(void *database) {
    sqlite3_stmt *begin = prepare(database, "BEGIN IMMEDIATE"), *commit = prepare(database, "COMMIT");
    sqlite3_stmt *insert = prepare(database, "INSERT INTO task(id, state, request) VALUES (?, 'queued', ?)");
    sqlite3_stmt *update = prepare(database, "UPDATE task SET state = ?, status = ?, body = ? WHERE id = ?");
    for (;;) {
        Task *first = take_all(&changes);
        if (first == NULL) continue;
        run(begin);
        for (Task *task = first; task != NULL; task = task->next) {
            if (task->stage == STORING) {
                sqlite3_bind_int64(insert, 1, task->id);
                sqlite3_bind_text(insert, 2, task->request.bytes, (int)task->request.count, SQLITE_STATIC);
                run(insert);
            } else {
                sqlite3_bind_text(update, 1, task->status == 200 ? "succeeded" : "failed", -1, SQLITE_STATIC);
                sqlite3_bind_int64(update, 2, task->status);
                sqlite3_bind_blob(update, 3, task->body.bytes, (int)task->body.count, SQLITE_STATIC);
                sqlite3_bind_int64(update, 4, task->id);
                run(update);
            }
        }
        run(commit);
        for (Task *task = first, *next; task != NULL; task = next) {
            next = task->next;
            if (task->stage == STORING) {
                task->stage = STORED;
                unfinished++;
                put(&stored, task);
            } else {
                if (task->status != 200) failed++;
                unfinished--;
                free_task(task);
            }
        }
    }
    return NULL;
}

/* The upstream */

static long milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int set_timer(CURLM *handle, long delay, void *context) {
    (void)handle, (void)context;
    timer = delay < 0 ? -1 : milliseconds() + delay;
    return 0;
}

static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *watched) {
    (void)easy, (void)context;
    uint32_t wanted = ((what & CURL_POLL_IN) ? EPOLLIN : 0) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0);
    struct epoll_event event = {.events = wanted, .data = {.fd = socket}};
    int operation = what == CURL_POLL_REMOVE ? EPOLL_CTL_DEL : watched != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    epoll_ctl(transfer_events, operation, socket, &event);
    curl_multi_assign(multi, socket, what == CURL_POLL_REMOVE ? NULL : &transfer_events);
    return 0;
}

static size_t receive(char *bytes, size_t size, size_t count, void *task) {
    return append(&((Task *)task)->body, bytes, size * count) ? size * count : 0;
}

static void start_transfer(CURL *easy, Task *task) {
    curl_easy_setopt(easy, CURLOPT_URL, task->url);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, task);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, task);
    curl_multi_add_handle(multi, easy);
}

/* Gives a finished transfer's task to the writer; a transfer that failed has the status 0. */
static CURL *end_transfer(CURLMsg *message) {
    CURL *easy = message->easy_handle;
    Task *task;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&task);
    if (message->data.result == CURLE_OK) curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &task->status);
    curl_multi_remove_handle(multi, easy);
    task->stage = ENDED;
    put(&changes, task);
    return easy;
}

/* Sends the requests of stored tasks in their order. */
static void *transfer(void *context) {
    (void)context;
    Task *waiting = NULL, **end = &waiting;
    long idle_count = 0;
    CURL **idle = calloc((size_t)limit, sizeof *idle);
    while (idle != NULL && idle_count < limit) idle[idle_count++] = curl_easy_init();
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, limit);
    struct epoll_event events[EVENTS] = {{.events = EPOLLIN, .data = {.fd = starts.event}}};
    epoll_ctl(transfer_events, EPOLL_CTL_ADD, starts.event, &events[0]);
    for (int running;;) {
        long delay = timer - milliseconds();
        int ready = epoll_wait(transfer_events, events, EVENTS, timer < 0 ? -1 : delay < 0 ? 0 : (int)delay);
        for (int index = 0; index < ready; index++) {
            if (events[index].data.fd == starts.event) {
                *end = take_all(&starts);
                while (*end != NULL) end = &(*end)->next;
            } else {
                int bits = ((events[index].events & (EPOLLIN | EPOLLHUP)) ? CURL_CSELECT_IN : 0) |
                           ((events[index].events & EPOLLOUT) ? CURL_CSELECT_OUT : 0) |
                           ((events[index].events & EPOLLERR) ? CURL_CSELECT_ERR : 0);
                curl_multi_socket_action(multi, events[index].data.fd, bits, &running);
            }
        }
        if (timer >= 0 && timer <= milliseconds()) {
            timer = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &running)) != NULL;) {
            idle[idle_count++] = end_transfer(message);
        }
        while (idle_count > 0 && waiting != NULL) {
            Task *task = waiting;
            if ((waiting = task->next) == NULL) end = &waiting;
            start_transfer(idle[--idle_count], task);
        }
    }
    return NULL;
}

/* The clients */

static enum MHD_Result respond(struct MHD_Connection *connection, unsigned status, const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int count = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (count < 0) fail("no memory");
    struct MHD_Response *response = MHD_create_response_from_buffer((size_t)count, text, MHD_RESPMEM_MUST_FREE);
    MHD_add_response_header(response, "Content-Type", "application/json");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* Gives the task to the writer. The connection continues when the task is stored. */
static enum MHD_Result create(Task *task) {
    const char *json = task->request.count > 0 ? task->request.bytes : "", *member = "\"path\":\"";
    const char *path = strstr(json, member), *end = path == NULL ? NULL : strchr(path + strlen(member), '"');
    if (end == NULL || strchr(json, '\\') != NULL || strstr(json, "\"session\":\"upstream\"") == NULL) {
        return respond(task->connection, 400, "{\"title\":\"expected the session upstream and a path\"}");
    }
    path += strlen(member);
    if (asprintf(&task->url, "%s/%.*s", upstream, (int)(end - path), path) < 0) fail("no memory");
    task->id = ++last_id;
    task->stage = STORING;
    MHD_suspend_connection(task->connection);
    put(&changes, task);
    return MHD_YES;
}

static enum MHD_Result show(struct MHD_Connection *connection, long id) {
    sqlite3_bind_int64(lookup, 1, id);
    bool is_found = sqlite3_step(lookup) == SQLITE_ROW;
    enum MHD_Result result = !is_found
        ? respond(connection, 404, "{\"title\":\"no such task\"}")
        : respond(connection, 200, "{\"id\":\"%ld\",\"state\":\"%s\",\"status\":%d}", id,
                  (const char *)sqlite3_column_text(lookup, 0), sqlite3_column_int(lookup, 1));
    sqlite3_reset(lookup);
    return result;
}

/* libmicrohttpd calls this for the head of a request, for each part of its body, and at its end; after a suspension,
   again for the end. */
static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *bytes, size_t *count, void **state
) {
    (void)context, (void)version;
    Task *task = *state;
    if (task == NULL) {
        if ((task = *state = calloc(1, sizeof *task)) == NULL) fail("no memory");
        task->connection = connection;
        return MHD_YES;
    }
    if (*count > 0) {
        bool fits = append(&task->request, bytes, *count);
        *count = 0;
        return fits ? MHD_YES : MHD_NO;
    }
    if (task->stage == STORED) return respond(connection, 202, "{\"id\":\"%ld\",\"state\":\"queued\"}", task->id);

    long id;
    char rest;
    bool is_get = strcmp(method, "GET") == 0, is_collection = strcmp(url, "/v1/tasks") == 0;
    if (is_collection && strcmp(method, "POST") == 0) return create(task);
    if (is_get && sscanf(url, "/v1/tasks/%ld%c", &id, &rest) == 1) return show(connection, id);
    if (is_get && is_collection) {
        const char *asked = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "state");
        long found = asked != NULL && strcmp(asked, "failed") == 0 ? failed : unfinished;
        return respond(connection, 200, found > 0 ? "{\"tasks\":[{}]}" : "{\"tasks\":[]}");
    }
    if (is_get && strcmp(url, "/readyz") == 0) return respond(connection, 200, "{}");
    return respond(connection, 404, "{\"title\":\"not found\"}");
}

/* A stored task starts when its request is over, also if the client has disconnected. */
static void end_request(
    void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code
) {
    (void)context, (void)connection, (void)code;
    Task *task = *state;
    if (task == NULL) return;
    if (task->stage == STORED) put(&starts, task);
    else free_task(task);
}

/* Serves clients. Only this thread calls libmicrohttpd, which can forget a connection that another thread resumes. */
static void serve(unsigned short port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, port, NULL, NULL, handle, NULL,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, 4096u,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL, MHD_OPTION_END);
    if (daemon == NULL) fail("no server");
    printf("%d\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    int events = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    struct pollfd ready[] = {{.fd = events, .events = POLLIN}, {.fd = stored.event, .events = POLLIN}};
    for (;;) {
        MHD_UNSIGNED_LONG_LONG timeout;
        poll(ready, 2, MHD_get_timeout(daemon, &timeout) == MHD_YES ? (int)timeout : -1);
        Task *task = (ready[1].revents & POLLIN) ? take_all(&stored) : NULL;
        for (Task *next; task != NULL; task = next) {
            next = task->next;
            MHD_resume_connection(task->connection);
        }
        MHD_run(daemon);
    }
}

int main(int count, char **arguments) {
    if (count < 5 || count > 6 || (limit = atol(arguments[4])) < 1) {
        fputs("usage: reference-gateway PORT UPSTREAM DATABASE LIMIT [full|normal]\n", stderr);
        return 64;
    }
    upstream = arguments[2];
    bool is_normal = count == 6 && strcmp(arguments[5], "normal") == 0;
    /* Errand also moves the log into the database every 4,096 pages. */
    sqlite3 *database = open_database(
        arguments[3],
        "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4096;"
        "CREATE TABLE task(id INTEGER PRIMARY KEY, state TEXT, request TEXT, status INTEGER, body BLOB)");
    run(prepare(database, is_normal ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL"));
    lookup = prepare(open_database(arguments[3], ""), "SELECT state, status FROM task WHERE id = ?");
    open_queue(&changes), open_queue(&stored), open_queue(&starts);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    transfer_events = epoll_create1(EPOLL_CLOEXEC);
    pthread_t thread;
    if (pthread_create(&thread, NULL, write_changes, database) != 0) fail("no thread");
    if (pthread_create(&thread, NULL, transfer, NULL) != 0) fail("no thread");
    serve((unsigned short)atoi(arguments[1]));
}

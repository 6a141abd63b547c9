/* In C, because Swift cannot give a function the visibility that the linker exports to libraries. */
#define _GNU_SOURCE
#include "http2_streams.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#define EXPORTED __attribute__((visibility("default")))

/* RFC 9113 §6 and §7. */
enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, GOAWAY = 7 };
enum { END_STREAM = 1 };
enum { NO_ERROR = 0, CANCEL = 8 };
enum { INITIAL_WINDOW_SIZE = 4 };
/* libnghttp2's codes for a call that is not possible, for one to be repeated, and for a lack of memory. */
enum { INVALID_STATE = -519, PAUSE = -526, NO_MEMORY = -901 };
/* The most settings of a connection whose window is limited: libcurl 7.88 has three. */
enum { MAX_SETTINGS = 16 };
/* The newest streams of a terminated connection that are told. */
enum { MAX_OPEN_STREAMS = 100000 };

/* The beginning of libnghttp2's union `nghttp2_frame`, with the content of the frames RST_STREAM and GOAWAY. */
struct frame {
    size_t length;
    int32_t stream;
    uint8_t type, flags, reserved;
    union {
        struct { uint32_t error; } reset;
        struct { int32_t last_stream; uint32_t error; } go_away;
    };
};

/* libnghttp2's structure `nghttp2_settings_entry`. */
struct setting {
    int32_t identifier;
    uint32_t value;
};

struct paused_session {
    void *session;
    /* The input that libcurl keeps. */
    const uint8_t *rest;
    size_t rest_count;
    /* True if that is one byte, which libnghttp2 has processed. */
    int is_processed;
    /* True if the session must not go on in the next call. */
    int is_held;
};

typedef int (*frame_function)(void *session, const struct frame *frame, void *context);
typedef void (*registration_function)(void *callbacks, frame_function function);
typedef int (*content_function)(
    void *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context);
typedef void (*content_registration_function)(void *callbacks, content_function function);
typedef ssize_t (*input_function)(void *session, const uint8_t *bytes, size_t count);
typedef void (*deletion_function)(void *session);
typedef int (*resumption_function)(void *session, int32_t stream);
typedef int (*reset_function)(void *session, uint8_t flags, int32_t stream, uint32_t error);
typedef int (*context_setting_function)(void *session, int32_t stream, void *context);
typedef void *(*stream_context_function)(void *session, int32_t stream);
typedef int (*stream_state_function)(void *session, int32_t stream);
typedef uint32_t (*session_number_function)(void *session);
typedef int (*settings_function)(void *session, uint8_t flags, const struct setting *settings, size_t count);
typedef int (*window_function)(void *session, uint8_t flags, int32_t stream, int32_t size);
typedef int32_t (*stream_window_function)(void *session, int32_t stream);
typedef uint32_t (*setting_function)(void *session, int identifier);

static _Thread_local chttp2streams_handler handler;
/* libcurl's callback, the same for all its connections. */
static _Thread_local frame_function receive;
static _Thread_local content_function receive_content;
/* True while a stream is reset instead of setting its window. */
static _Thread_local int is_resetting;
/* True while larger windows are withheld, and whether one is. */
static _Thread_local int is_withholding, is_withheld;
/* True if libcurl's callback for content has paused the session that is reading. */
static _Thread_local int is_paused;
/* The session that was paused last. */
static _Thread_local const void *paused_last;
/* True if libcurl is about to end a request. */
static _Thread_local int is_request_ending;
/* The sessions that libcurl has paused, and that have read nothing since. */
static _Thread_local struct paused_session *paused;
static _Thread_local size_t paused_count, paused_capacity;
static registration_function original_registration, send_registration;
static content_registration_function content_registration;
static input_function original_input;
static deletion_function original_deletion;
static resumption_function original_resumption;
static reset_function original_reset;
static context_setting_function set_stream_context;
static stream_context_function stream_context;
static stream_state_function is_request_sent;
static session_number_function next_stream;
static settings_function original_settings;
static window_function original_window;
static stream_window_function stream_window;
static setting_function acknowledged_setting;

EXPORTED void nghttp2_session_callbacks_set_on_frame_recv_callback(void *callbacks, frame_function function);
EXPORTED void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(void *callbacks, content_function function);
EXPORTED ssize_t nghttp2_session_mem_recv(void *session, const uint8_t *bytes, size_t count);
EXPORTED void nghttp2_session_del(void *session);
EXPORTED int nghttp2_session_resume_data(void *session, int32_t stream);
EXPORTED int nghttp2_submit_rst_stream(void *session, uint8_t flags, int32_t stream, uint32_t error);
EXPORTED int nghttp2_submit_settings(
    void *session, uint8_t flags, const struct setting *settings, size_t count);
EXPORTED int nghttp2_session_set_local_window_size(void *session, uint8_t flags, int32_t stream, int32_t size);

/* Runs before other threads exist. */
__attribute__((constructor)) static void find_originals(void) {
    original_registration =
        (registration_function)dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_frame_recv_callback");
    send_registration =
        (registration_function)dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_frame_send_callback");
    content_registration = (content_registration_function)dlsym(
        RTLD_NEXT, "nghttp2_session_callbacks_set_on_data_chunk_recv_callback");
    original_input = (input_function)dlsym(RTLD_NEXT, "nghttp2_session_mem_recv");
    original_deletion = (deletion_function)dlsym(RTLD_NEXT, "nghttp2_session_del");
    original_resumption = (resumption_function)dlsym(RTLD_NEXT, "nghttp2_session_resume_data");
    original_reset = (reset_function)dlsym(RTLD_NEXT, "nghttp2_submit_rst_stream");
    set_stream_context = (context_setting_function)dlsym(RTLD_NEXT, "nghttp2_session_set_stream_user_data");
    stream_context = (stream_context_function)dlsym(RTLD_NEXT, "nghttp2_session_get_stream_user_data");
    is_request_sent = (stream_state_function)dlsym(RTLD_NEXT, "nghttp2_session_get_stream_local_close");
    next_stream = (session_number_function)dlsym(RTLD_NEXT, "nghttp2_session_get_next_stream_id");
    original_settings = (settings_function)dlsym(RTLD_NEXT, "nghttp2_submit_settings");
    original_window = (window_function)dlsym(RTLD_NEXT, "nghttp2_session_set_local_window_size");
    stream_window =
        (stream_window_function)dlsym(RTLD_NEXT, "nghttp2_session_get_stream_effective_local_window_size");
    acknowledged_setting = (setting_function)dlsym(RTLD_NEXT, "nghttp2_session_get_local_settings");
}

void chttp2streams_handle(chttp2streams_handler new_handler) {
    handler = new_handler;
}

static int has_originals(void) {
    return original_registration && send_registration && content_registration && original_input
        && original_deletion && original_resumption && original_reset && set_stream_context && stream_context
        && is_request_sent && next_stream && original_settings && original_window && stream_window
        && acknowledged_setting;
}

/* Returns whether libcurl calls a definition of this file. */
static int is_called(const char *name, void *function) {
    return dlsym(RTLD_DEFAULT, name) == function;
}

int chttp2streams_are_handled(void) {
    return has_originals()
        && is_called(
            "nghttp2_session_callbacks_set_on_frame_recv_callback",
            (void *)nghttp2_session_callbacks_set_on_frame_recv_callback)
        && is_called(
            "nghttp2_session_callbacks_set_on_data_chunk_recv_callback",
            (void *)nghttp2_session_callbacks_set_on_data_chunk_recv_callback)
        && is_called("nghttp2_session_mem_recv", (void *)nghttp2_session_mem_recv)
        && is_called("nghttp2_session_del", (void *)nghttp2_session_del)
        && is_called("nghttp2_session_resume_data", (void *)nghttp2_session_resume_data)
        && is_called("nghttp2_submit_rst_stream", (void *)nghttp2_submit_rst_stream)
        && is_called("nghttp2_submit_settings", (void *)nghttp2_submit_settings)
        && is_called("nghttp2_session_set_local_window_size", (void *)nghttp2_session_set_local_window_size);
}

/* Returns whether the frame is hidden. */
static int handle(void *session, const struct frame *frame) {
    int is_end = (frame->type == DATA || frame->type == HEADERS) && (frame->flags & END_STREAM);
    int is_reset = frame->type == RST_STREAM && frame->reset.error == NO_ERROR;
    if (!handler || !(is_end || is_reset)) return 0;
    /* The easy handle, as libcurl sets it. */
    void *easy = stream_context(session, frame->stream);
    if (!easy) return 0;
    if (is_reset) return handler(easy, CHTTP2STREAMS_RESET);
    return handler(easy, is_request_sent(session, frame->stream) == 1 ? CHTTP2STREAMS_END : CHTTP2STREAMS_EARLY_END);
}

static int receive_frame(void *session, const struct frame *frame, void *context) {
    return handle(session, frame) ? 0 : receive(session, frame, context);
}

/* Tells the open streams that their connection was terminated. */
static int frame_was_sent(void *session, const struct frame *frame, void *context) {
    (void)context;
    if (!handler || frame->type != GOAWAY || frame->go_away.error == NO_ERROR) return 0;
    /* Only the newest streams can be open: a peer allows no more at the same time. */
    int64_t newest = (int64_t)next_stream(session) - 2, oldest = newest - 2 * MAX_OPEN_STREAMS;
    for (int64_t stream = newest; stream > 0 && stream > oldest; stream -= 2) {
        void *easy = stream_context(session, (int32_t)stream);
        if (easy) handler(easy, CHTTP2STREAMS_TERMINATED);
    }
    return 0;
}

void nghttp2_session_callbacks_set_on_frame_recv_callback(void *callbacks, frame_function function) {
    if (!original_registration) return;
    if (!handler || !has_originals()) return original_registration(callbacks, function);
    receive = function;
    original_registration(callbacks, receive_frame);
    /* libcurl 7.88 has no callback for sent frames, which this would replace. */
    send_registration(callbacks, frame_was_sent);
}

static int receive_content_of_stream(
    void *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context
) {
    int result = receive_content(session, flags, stream, bytes, count, context);
    if (result != PAUSE) return result;
    is_paused = 1;
    paused_last = session;
    void *easy = stream_context(session, stream);
    if (handler && easy) handler(easy, CHTTP2STREAMS_PAUSED);
    return result;
}

void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(void *callbacks, content_function function) {
    if (!content_registration) return;
    if (!handler || !has_originals()) return content_registration(callbacks, function);
    receive_content = function;
    content_registration(callbacks, receive_content_of_stream);
}

static struct paused_session *find_paused(const void *session) {
    for (size_t index = 0; index < paused_count; index++)
        if (paused[index].session == session) return &paused[index];
    return NULL;
}

static void remove_paused(struct paused_session *entry) {
    *entry = paused[--paused_count];
}

/* Makes room for one more paused session. Returns 0 if there is no memory. */
static int reserve_paused(void) {
    if (paused_count < paused_capacity) return 1;
    size_t capacity = 2 * paused_capacity + 8;
    struct paused_session *grown = realloc(paused, capacity * sizeof *grown);
    if (!grown) return 0;
    paused = grown;
    paused_capacity = capacity;
    return 1;
}

const void *chttp2streams_last_paused(void) {
    return paused_last;
}

int chttp2streams_is_paused(const void *session) {
    return find_paused(session) != NULL;
}

void chttp2streams_end_request(void) {
    is_request_ending = 1;
}

/* libcurl calls this when a request of unknown length ends, and then lets the session go on, also if it is paused: the
 * content for which it was paused would be overwritten before the transfer has taken it. */
int nghttp2_session_resume_data(void *session, int32_t stream) {
    if (!original_resumption) return INVALID_STATE;
    if (is_request_ending) {
        is_request_ending = 0;
        struct paused_session *entry = find_paused(session);
        if (entry) entry->is_held = 1;
    }
    return original_resumption(session, stream);
}

/* libnghttp2 processes the end of a paused frame in the next call, also if that has no input. libcurl makes that call
 * only if it has input left. So it keeps the last byte, which the next call skips.
 *
 * When libcurl checks an idle connection, it reads other input in the place of what it has kept. */
ssize_t nghttp2_session_mem_recv(void *session, const uint8_t *bytes, size_t count) {
    if (!original_input) return INVALID_STATE;
    if (!handler || !has_originals()) return original_input(session, bytes, count);
    size_t skipped = 0;
    struct paused_session *entry = find_paused(session);
    if (entry) {
        if (entry->is_held) {
            entry->is_held = 0;
            return 0;
        }
        int is_rest = bytes == entry->rest && count == entry->rest_count;
        if (!is_rest && !entry->is_processed) return INVALID_STATE;
        skipped = is_rest && entry->is_processed ? 1 : 0;
        remove_paused(entry);
    }
    if (!reserve_paused()) return NO_MEMORY;
    is_paused = 0;
    ssize_t processed = original_input(session, bytes + skipped, count - skipped);
    if (processed < 0) return processed;
    processed += (ssize_t)skipped;
    if (!is_paused) return processed;
    int is_all = processed > 0 && (size_t)processed == count;
    if (is_all) processed--;
    paused[paused_count++] = (struct paused_session){
        .session = session, .rest = bytes + processed, .rest_count = count - (size_t)processed, .is_processed = is_all};
    return processed;
}

void nghttp2_session_del(void *session) {
    if (!original_deletion) return;
    struct paused_session *entry = find_paused(session);
    if (entry) remove_paused(entry);
    original_deletion(session);
}

/* The window that streams have from their beginning. */
int nghttp2_submit_settings(void *session, uint8_t flags, const struct setting *settings, size_t count) {
    struct setting limited[MAX_SETTINGS];
    if (!original_settings) return INVALID_STATE;
    if (!handler || count > MAX_SETTINGS) return original_settings(session, flags, settings, count);
    for (size_t index = 0; index < count; index++) {
        limited[index] = settings[index];
        if (limited[index].identifier == INITIAL_WINDOW_SIZE
            && limited[index].value > (uint32_t)CHTTP2STREAMS_STREAM_WINDOW)
            limited[index].value = CHTTP2STREAMS_STREAM_WINDOW;
    }
    return original_settings(session, flags, limited, count);
}

void chttp2streams_reset_streams(int is_enabled) {
    is_resetting = is_enabled;
}

static int is_open(void *session, int32_t stream) {
    return is_request_sent(session, stream) != -1;
}

/* libcurl resets a stream when it removes the transfer, so once more after a reset by this file. A request that was never
 * sent, because the connection is congested, has no stream yet: its reset removes it. libcurl does not clear the context
 * of such a request, which is its easy handle, and is freed. */
int nghttp2_submit_rst_stream(void *session, uint8_t flags, int32_t stream, uint32_t error) {
    if (!original_reset) return INVALID_STATE;
    if (!handler || !has_originals() || is_open(session, stream)) return original_reset(session, flags, stream, error);
    int is_queued = set_stream_context(session, stream, NULL) == 0;
    return is_queued ? original_reset(session, flags, stream, error) : 0;
}

void chttp2streams_withhold_windows(void) {
    is_withholding = 1;
    is_withheld = 0;
}

int chttp2streams_stop_withholding(void) {
    is_withholding = 0;
    return is_withheld;
}

/* The largest window of a stream. Until the peer acknowledges the settings it is the one by default: then libnghttp2
 * adds the difference to the windows of all streams. */
static int32_t largest_window(void *session) {
    uint32_t initial = acknowledged_setting(session, INITIAL_WINDOW_SIZE);
    return initial < (uint32_t)CHTTP2STREAMS_STREAM_WINDOW ? (int32_t)initial : CHTTP2STREAMS_STREAM_WINDOW;
}

/* The window of a stream that libcurl pauses, with 0, or resumes. Stream 0 is the whole connection. */
int nghttp2_session_set_local_window_size(void *session, uint8_t flags, int32_t stream, int32_t size) {
    if (!original_window) return INVALID_STATE;
    if (!handler || !has_originals()) return original_window(session, flags, stream, size);
    /* A request that is queued has no stream yet: libcurl removes it. */
    if (is_resetting) return stream > 0 && is_open(session, stream) ? original_reset(session, flags, stream, CANCEL) : 0;
    if (stream == 0) return original_window(session, flags, stream, size);
    int32_t largest = largest_window(session);
    if (size > largest) size = largest;
    if (is_withholding) {
        /* Negative if the stream is closed. */
        int32_t current = stream_window(session, stream);
        if (current >= 0 && size > current) {
            is_withheld = 1;
            return 0;
        }
        /* libcurl keeps content again. */
        if (size == 0) is_withheld = 0;
    }
    return original_window(session, flags, stream, size);
}

/* In C, because Swift cannot give a function the visibility that the linker exports to libraries. */
#define _GNU_SOURCE
#include "http2_streams.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

/* RFC 9113 §6 and §7. */
enum { DATA = 0, HEADERS = 1, RST_STREAM = 3 };
enum { END_STREAM = 1 };
enum { NO_ERROR = 0 };

/* The beginning of libnghttp2's union `nghttp2_frame`, with the content of a frame RST_STREAM. */
struct frame {
    size_t length;
    int32_t stream;
    uint8_t type, flags, reserved;
    uint32_t error;
};

typedef int (*frame_function)(void *session, const struct frame *frame, void *context);
typedef void (*registration_function)(void *callbacks, frame_function function);
typedef void *(*stream_context_function)(void *session, int32_t stream);
typedef int (*stream_state_function)(void *session, int32_t stream);

static _Thread_local chttp2streams_handler handler;
/* libcurl's callback, the same for all its connections. */
static _Thread_local frame_function receive;
static registration_function original_registration;
static stream_context_function stream_context;
static stream_state_function is_request_sent;

EXPORTED void nghttp2_session_callbacks_set_on_frame_recv_callback(void *callbacks, frame_function function);

/* Runs before other threads exist. */
__attribute__((constructor)) static void find_originals(void) {
    original_registration =
        (registration_function)dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_frame_recv_callback");
    stream_context = (stream_context_function)dlsym(RTLD_NEXT, "nghttp2_session_get_stream_user_data");
    is_request_sent = (stream_state_function)dlsym(RTLD_NEXT, "nghttp2_session_get_stream_local_close");
}

void chttp2streams_handle(chttp2streams_handler new_handler) {
    handler = new_handler;
}

int chttp2streams_are_handled(void) {
    return original_registration && stream_context && is_request_sent
        && dlsym(RTLD_DEFAULT, "nghttp2_session_callbacks_set_on_frame_recv_callback")
        == (void *)nghttp2_session_callbacks_set_on_frame_recv_callback;
}

/* Returns whether the frame is hidden. */
static int handle(void *session, const struct frame *frame) {
    int is_end = (frame->type == DATA || frame->type == HEADERS) && (frame->flags & END_STREAM);
    int is_reset = frame->type == RST_STREAM && frame->error == NO_ERROR;
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

void nghttp2_session_callbacks_set_on_frame_recv_callback(void *callbacks, frame_function function) {
    if (!original_registration) return;
    if (!handler || !stream_context || !is_request_sent) return original_registration(callbacks, function);
    receive = function;
    original_registration(callbacks, receive_frame);
}

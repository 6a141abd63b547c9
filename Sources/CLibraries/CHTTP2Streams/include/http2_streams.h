/* Replacements of functions of libnghttp2 that libcurl calls: of those by which it passes input to a session and learns
 * of received frames, sets the windows of streams, resets and resumes them, and ends a session.
 *
 * A server that responds without reading the whole request resets the stream with NO_ERROR after the response, and a
 * client must not discard the response for it (RFC 9113 §8.1). libcurl 7.88 does, if both arrive together. After such a
 * reset in the middle of a response, it reports the response as complete.
 *
 * If a server violates HTTP/2, libnghttp2 terminates the connection with a GOAWAY. libcurl 7.88 notices that when it next
 * reads for a transfer. If the server sends nothing more, and does not close the connection, that is never.
 *
 * libcurl 7.88 keeps what a peer sends to a stream that is paused, as far as the window of the stream has let it, which
 * is 32 MiB: frames of the other streams are behind it. A smaller window limits that memory.
 *
 * When libcurl 7.88 resumes a stream (`curl_easy_pause`), it first sets its window, so that libnghttp2 permits the peer
 * as much as it has sent, and then offers the content that it has kept. A transfer that takes only a part of it is
 * paused again, with a window of 0, but has more content with each resume. Windows that are withheld meanwhile prevent
 * that.
 *
 * libcurl 7.88 pauses a session when the buffer of a transfer has no room for content. It then takes the rest of that
 * content, but goes on with the input behind it, and with the end of the frame, only when it next reads for one of the
 * connection's transfers: if the socket has no more data, that is never.
 *
 * When libcurl 7.88 removes a transfer that is not complete, it resets its stream, but keeps the frame until it next has
 * something to send on the connection. The peer works on, and its stream counts.
 *
 * When a request of unknown length ends, libcurl lets a paused session go on before the content was taken.
 *
 * The dynamic linker prefers the definitions of the program to those of libraries, so that libcurl registers its
 * callback here. libcurl is not told of resets that a handler hides: the stream then ends like any other. */
#ifndef ERRAND_CHTTP2STREAMS_H
#define ERRAND_CHTTP2STREAMS_H

/* The frames that are passed to a handler. */
enum chttp2streams_event {
    /* The last frame of the response, when that of the request has been sent. */
    CHTTP2STREAMS_END,
    /* The last frame of the response, before that of the request has been sent. */
    CHTTP2STREAMS_EARLY_END,
    /* RST_STREAM with NO_ERROR. */
    CHTTP2STREAMS_RESET,
    /* A sent GOAWAY with an error, for each open stream of the connection: nothing more is received. */
    CHTTP2STREAMS_TERMINATED,
    /* Content for which the transfer has no room yet: the session is paused. */
    CHTTP2STREAMS_PAUSED
};

/* The largest window of a stream while there is a handler, in bytes: what a peer may send before the transfer takes it.
 * A stream needs as much to bring 10 MiB/s over a path of 100 ms (window / round-trip time). */
enum { CHTTP2STREAMS_STREAM_WINDOW = 1 << 20 };

/* Receives a frame of the stream of an easy handle (`CURL *`). Returns 1 if the frame is a reset to be hidden, or 0. */
typedef int (*chttp2streams_handler)(void *easy, enum chttp2streams_event event);

/* Passes the frames of the connections that libcurl makes on the calling thread to `handler`, and limits the windows of
 * their streams; NULL ends both. Other threads are not affected. */
void chttp2streams_handle(chttp2streams_handler handler);

/* Makes libcurl reset the streams whose windows it sets on the calling thread, with CANCEL, or ends that. libcurl sends
 * the frame at once. */
void chttp2streams_reset_streams(int is_enabled);

/* Withholds the larger windows that libcurl sets on the calling thread: the streams keep those that they have. */
void chttp2streams_withhold_windows(void);

/* Ends that. Returns 1 if a window was withheld, and libcurl has not set the window of the stream to 0 since: then it
 * has no content of the stream, and sets the window when the stream is paused and resumed once more. */
int chttp2streams_stop_withholding(void);

/* Returns the session that was paused last on the calling thread, only to be compared. */
const void *chttp2streams_last_paused(void);

/* True if a session of the calling thread is paused: libcurl has read input that it has yet to process, and processes
 * when it reads for one of the session's transfers. The thread must also be the one that ends the session. */
int chttp2streams_is_paused(const void *session);

/* Tells that libcurl ends the request of an HTTP/2 stream next on the calling thread, whose length was unknown. Then it
 * goes on with the session even if that is paused, which is prevented: content of another stream would be overwritten. */
void chttp2streams_end_request(void);

/* True if libcurl calls these definitions in this process. */
int chttp2streams_are_handled(void);

#endif

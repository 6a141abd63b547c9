/* A replacement of the function by which libcurl learns of received HTTP/2 frames from libnghttp2.
 *
 * A server that responds without reading the whole request resets the stream with NO_ERROR after the response, and a
 * client must not discard the response for it (RFC 9113 §8.1). libcurl 7.88 does, if both arrive together. After such a
 * reset in the middle of a response, it reports the response as complete.
 *
 * If a server violates HTTP/2, libnghttp2 terminates the connection with a GOAWAY. libcurl 7.88 notices that when it next
 * reads for a transfer. If the server sends nothing more, and does not close the connection, that is never.
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
    CHTTP2STREAMS_TERMINATED
};

/* Receives a frame of the stream of an easy handle (`CURL *`). Returns 1 if the frame is a reset to be hidden, or 0. */
typedef int (*chttp2streams_handler)(void *easy, enum chttp2streams_event event);

/* Passes the frames of the connections that libcurl makes on the calling thread to `handler`; NULL ends it. Other threads
 * are not affected. */
void chttp2streams_handle(chttp2streams_handler handler);

/* True if libcurl calls this definition in this process. */
int chttp2streams_are_handled(void);

#endif

/* zlib.h for Swift. Functions replace the macros that Swift cannot import. */
#ifndef ERRAND_CZLIB_SHIM_H
#define ERRAND_CZLIB_SHIM_H

/* Input is const: zlib only reads it. */
#define ZLIB_CONST
#include <zlib.h>

/* deflateInit2 of deflate with the default level, memory and strategy. */
static inline int czlib_deflate_init(z_stream *stream, int window_bits) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

/* inflateInit2 of the format that the window bits select. */
static inline int czlib_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif

/* What Swift sees of zlib.h. The macros that it cannot import get a function of their own here. */
#ifndef ERRAND_CZLIB_SHIM_H
#define ERRAND_CZLIB_SHIM_H

/* Input is const: zlib only reads it. */
#define ZLIB_CONST
#include <zlib.h>

/* deflateInit2 of deflate with the default level, memory and strategy. */
static inline int czlib_deflate_init(z_stream *stream, int window_bits) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif

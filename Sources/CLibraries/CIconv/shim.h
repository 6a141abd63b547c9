/* iconv of the C library, with positions instead of pointers to pointers. */
#ifndef ERRAND_CICONV_SHIM_H
#define ERRAND_CICONV_SHIM_H

#include <errno.h>
#include <iconv.h>
#include <stddef.h>

/* Opens a converter to UTF-8; returns NULL on failure, because Swift cannot compare with iconv_open's (iconv_t)-1. */
static inline iconv_t ciconv_open(const char *charset) {
    iconv_t converter = iconv_open("UTF-8", charset);
    return converter == (iconv_t)-1 ? NULL : converter;
}

/* Converts input from *consumed to count into output from *written to capacity and moves both positions.
   Returns 0 if all input was consumed, otherwise the errno of iconv: E2BIG, EILSEQ or EINVAL. */
static inline int ciconv_convert(iconv_t converter, const char *input, size_t count, size_t *consumed, char *output,
                                 size_t capacity, size_t *written) {
    char *from = (char *)input + *consumed;
    char *to = output + *written;
    size_t from_left = count - *consumed;
    size_t to_left = capacity - *written;
    int result = iconv(converter, &from, &from_left, &to, &to_left) == (size_t)-1 ? errno : 0;
    *consumed = count - from_left;
    *written = capacity - to_left;
    return result;
}

/* Writes the character that a converter has kept to combine it with the next one. */
static inline int ciconv_finish(iconv_t converter, char *output, size_t capacity, size_t *written) {
    char *to = output + *written;
    size_t to_left = capacity - *written;
    int result = iconv(converter, NULL, NULL, &to, &to_left) == (size_t)-1 ? errno : 0;
    *written = capacity - to_left;
    return result;
}

static const int ciconv_E2BIG = E2BIG;
static const int ciconv_EILSEQ = EILSEQ;

#endif

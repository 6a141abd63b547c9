/* expat needs no shim: the used functions are neither variadic nor macros. */
#ifndef ERRAND_CEXPAT_SHIM_H
#define ERRAND_CEXPAT_SHIM_H

#include <expat.h>

#endif

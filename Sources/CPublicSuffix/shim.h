/* What Swift sees of libpsl.h. The macros that it cannot import get a function of their own here. */
#ifndef ERRAND_CPUBLICSUFFIX_SHIM_H
#define ERRAND_CPUBLICSUFFIX_SHIM_H

#include <libpsl.h>

#endif

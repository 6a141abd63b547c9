/* libpsl.h for Swift. Functions replace the macros that Swift cannot import. */
#ifndef ERRAND_CPUBLICSUFFIX_SHIM_H
#define ERRAND_CPUBLICSUFFIX_SHIM_H

#include <libpsl.h>

#endif

/* expat needs no shim: what is used of its interface is neither variadic nor a macro. */
#ifndef ERRAND_CEXPAT_SHIM_H
#define ERRAND_CEXPAT_SHIM_H

#include <expat.h>

#endif

/* libyaml needs no shim: its interface has neither variadic functions nor macros that Swift misses. */
#ifndef ERRAND_CLIBYAML_SHIM_H
#define ERRAND_CLIBYAML_SHIM_H

#include <yaml.h>

#endif

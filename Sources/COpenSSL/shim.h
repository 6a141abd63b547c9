/* OpenSSL's digests. The macros that Swift cannot import get a function of their own here. */
#ifndef ERRAND_COPENSSL_SHIM_H
#define ERRAND_COPENSSL_SHIM_H

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#endif

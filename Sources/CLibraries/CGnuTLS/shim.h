/* GnuTLS, which libmicrohttpd speaks TLS with: the verification of client certificates. */
#ifndef ERRAND_CGNUTLS_SHIM_H
#define ERRAND_CGNUTLS_SHIM_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* Frees what GnuTLS has allocated for its caller: the function itself is a variable of the library. */
static inline void cgnutls_free(void *memory) {
    gnutls_free(memory);
}

#endif

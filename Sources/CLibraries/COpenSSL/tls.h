/* Typed functions for the function-like macros of libssl, which Swift cannot import. */
#ifndef ERRAND_COPENSSL_TLS_H
#define ERRAND_COPENSSL_TLS_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

/* Allocates an index for a pointer in every SSL_CTX; `release` gets the pointer with the SSL_CTX. Negative: failure. */
static inline int copenssl_new_context_place(CRYPTO_EX_free *release) {
    return SSL_CTX_get_ex_new_index(0, 0, 0, 0, release);
}

/* The certificates that the peer has presented: their number and each of them, its own first. */

static inline int copenssl_presented_count(X509_STORE_CTX *context) {
    STACK_OF(X509) *presented = X509_STORE_CTX_get0_untrusted(context);
    return presented ? sk_X509_num(presented) : 0;
}

static inline X509 *copenssl_presented(X509_STORE_CTX *context, int index) {
    return sk_X509_value(X509_STORE_CTX_get0_untrusted(context), index);
}

/* Requests a stapled OCSP response; `judge` is called, even without a response, before any content is sent. */
static inline int copenssl_ask_for_staple(SSL_CTX *context, int (*judge)(SSL *, void *), void *argument) {
    return SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp) == 1
        && SSL_CTX_set_tlsext_status_cb(context, judge) == 1
        && SSL_CTX_set_tlsext_status_arg(context, argument) == 1;
}

/* The length of the stapled OCSP response, which `connection` owns. 0 or negative: there is none. */
static inline long copenssl_staple(SSL *connection, const unsigned char **response) {
    return SSL_get_tlsext_status_ocsp_resp(connection, response);
}

/* Replaces the chain of the connection's own certificate. */

static inline int copenssl_clear_chain(SSL *connection) {
    return SSL_clear_chain_certs(connection) == 1;
}

static inline int copenssl_add_to_chain(SSL *connection, X509 *certificate) {
    return SSL_add1_chain_cert(connection, certificate) == 1;
}

/* Constants that are macros */

static const int copenssl_ALERT_READ = SSL_CB_READ_ALERT;
static const int copenssl_HANDSHAKE_EXIT = SSL_CB_CONNECT_EXIT;

#endif

/* OpenSSL: digests, certificates, keys, OCSP. Functions replace the macros that Swift cannot import. */
#ifndef ERRAND_COPENSSL_SHIM_H
#define ERRAND_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* Lists of certificates, for which OpenSSL has only macros. */
static inline STACK_OF(X509) *copenssl_certificates_new(void) {
    return sk_X509_new_null();
}

static inline int copenssl_certificates_push(STACK_OF(X509) *list, X509 *certificate) {
    return sk_X509_push(list, certificate);
}

static inline int copenssl_certificates_count(const STACK_OF(X509) *list) {
    return list == NULL ? 0 : sk_X509_num(list);
}

static inline X509 *copenssl_certificates_at(const STACK_OF(X509) *list, int index) {
    return sk_X509_value(list, index);
}

/* Frees the list, but not its certificates. */
static inline void copenssl_certificates_free(STACK_OF(X509) *list) {
    sk_X509_free(list);
}

/* Frees the list and releases a reference to each of its certificates. */
static inline void copenssl_certificates_release(STACK_OF(X509) *list) {
    sk_X509_pop_free(list, X509_free);
}

static inline int copenssl_names_count(const GENERAL_NAMES *names) {
    return sk_GENERAL_NAME_num(names);
}

static inline GENERAL_NAME *copenssl_names_at(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

/* Prints a name in the form of RFC 4514, in ASCII: control and non-ASCII characters are escaped. */
static inline int copenssl_print_name(BIO *output, const X509_NAME *name) {
    return X509_NAME_print_ex(output, name, 0, XN_FLAG_RFC2253);
}

/* The bytes that were written to a memory BIO, which owns them. */
static inline long copenssl_written(BIO *memory, char **bytes) {
    return BIO_get_mem_data(memory, bytes);
}

static inline void copenssl_free(void *pointer) {
    OPENSSL_free(pointer);
}

/* Overwrites and frees memory, for keys. */
static inline void copenssl_clear_free(void *pointer, size_t count) {
    OPENSSL_clear_free(pointer, count);
}

/* The digest of an algorithm identifier, or NULL if it is unknown. */
static inline const EVP_MD *copenssl_digest_of(const ASN1_OBJECT *algorithm) {
    return EVP_get_digestbyobj(algorithm);
}

#endif

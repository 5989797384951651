// Digests from OpenSSL's libcrypto. Typed wrappers only: no logic lives here.
#ifndef HTTPDNS_PROXY_CCRYPTO_SHIM_H
#define HTTPDNS_PROXY_CCRYPTO_SHIM_H

#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>

/// SHA-256 of `count` bytes into 32 bytes at `digest`. Returns 1, or 0 when libcrypto could not compute it.
static inline int ccrypto_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
    unsigned int length = 0;
    return EVP_Digest(bytes, count, digest, &length, EVP_sha256(), NULL) == 1 && length == 32;
}

#endif

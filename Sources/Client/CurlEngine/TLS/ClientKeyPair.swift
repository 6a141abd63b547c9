import CErrandOpenSSL
import ErrandTransfer

/// Owns a session's client certificate and key as OpenSSL objects.
///
/// Used on the loop's thread only.
final class ClientKeyPair {
    /// The certificate and its chain, the certificate itself first.
    private let chain: [OpaquePointer]
    private let key: OpaquePointer

    /// Parses the certificate and the key; returns `nil` if either is invalid or they do not belong together.
    init?(_ certificate: ClientCertificate) {
        defer { ERR_clear_error() }
        var chain: [OpaquePointer] = []
        for der in certificate.chain {
            guard let read = Self.certificate(der) else { break }
            chain.append(read)
        }
        let key = Self.key(certificate.privateKey)
        guard let key, let leaf = chain.first, chain.count == certificate.chain.count,
            X509_check_private_key(leaf, key) == 1
        else {
            chain.forEach(X509_free)
            EVP_PKEY_free(key)
            return nil
        }
        self.chain = chain
        self.key = key
    }

    deinit {
        chain.forEach(X509_free)
        EVP_PKEY_free(key)
    }

    /// Makes a connection present the certificate with its chain.
    ///
    /// - Returns: `false` if OpenSSL refuses it, for example because the key is too weak.
    func show(over connection: OpaquePointer) -> Bool {
        guard let leaf = chain.first, SSL_use_certificate(connection, leaf) == 1,
            SSL_use_PrivateKey(connection, key) == 1, copenssl_clear_chain(connection) == 1
        else { return false }
        return chain.dropFirst().allSatisfy { copenssl_add_to_chain(connection, $0) == 1 }
    }

    private static func certificate(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            guard let certificate = d2i_X509(nil, &position, bytes.count) else { return nil }
            guard position == bytes.baseAddress.map({ $0 + bytes.count }) else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
    }

    private static func key(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &position, bytes.count)
        }
    }
}

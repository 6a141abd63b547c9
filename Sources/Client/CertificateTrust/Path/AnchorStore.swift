import CErrandOpenSSL

/// A set of trust anchors, and the search for certification paths that end in one of them.
///
/// `@unchecked Sendable`: an `X509_STORE` is modified in initialisers only. OpenSSL counts references to it atomically,
/// and locks it for each look-up, during which a directory of roots may add to it.
final class AnchorStore: @unchecked Sendable {
    /// The security level of OpenSSL, the one that Debian uses for TLS: 112 bits, so RSA from 2048 bits and no SHA-1
    /// (`SSL_CTX_set_security_level(3)`).
    static let securityLevel: Int32 = 2
    /// The most certificates between the peer's and an anchor.
    static let maxIntermediates: Int32 = 10

    private let store: OpaquePointer

    private init() throws(CertificateError) {
        guard let store = X509_STORE_new() else { throw .outOfMemory }
        self.store = store
        // The last flag is libcurl's rule too: a trusted certificate ends a path whether or not it is a root.
        let flags = X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN
        guard X509_STORE_set_flags(store, UInt(flags)) == 1,
            X509_STORE_set_purpose(store, X509_PURPOSE_SSL_SERVER) == 1,
            X509_STORE_set_trust(store, X509_TRUST_SSL_SERVER) == 1,
            X509_STORE_set_depth(store, Self.maxIntermediates) == 1
        else { throw .outOfMemory }
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_get0_param(store), Self.securityLevel)
    }

    deinit {
        X509_STORE_free(store)
    }

    /// Trusts only these certificates, whether or not they are roots.
    convenience init(certificates: [Certificate]) throws(CertificateError) {
        try self.init()
        for certificate in certificates {
            guard X509_STORE_add_cert(store, certificate.pointer) == 1 else { throw .outOfMemory }
        }
    }

    /// Trusts the certificates of a file and of a directory with hashed names.
    ///
    /// Either may be missing and then contributes no anchors.
    static func reading(file: String, folder: String) throws(CertificateError) -> AnchorStore {
        let anchors = try AnchorStore()
        ErrorQueue.preserving {
            // A file that cannot be read yields fewer roots, which can only lead to refusals.
            X509_STORE_load_file(anchors.store, file)
            X509_STORE_load_path(anchors.store, folder)
        }
        return anchors
    }

    /// Searches the certification path of a peer's certificate and collects all of its faults.
    ///
    /// - Parameter now: Seconds since 1970.
    func path(from presented: PresentedChain, at now: Int64) throws(CertificateError) -> CertificatePath {
        guard let path = ErrorQueue.preserving({ search(from: presented, at: now) }) else { throw .outOfMemory }
        return path
    }

    /// Returns `nil` if there is no memory.
    private func search(from presented: PresentedChain, at now: Int64) -> CertificatePath? {
        let candidates = CertificateList(presented.others)
        guard let candidates, let context = X509_STORE_CTX_new() else { return nil }
        defer { X509_STORE_CTX_free(context) }
        let faults = FaultRecorder()
        return withExtendedLifetime((presented.leaf, candidates, faults)) {
            guard X509_STORE_CTX_init(context, store, presented.leaf.pointer, candidates.pointer) == 1,
                X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(faults).toOpaque()) == 1
            else { return nil }
            X509_STORE_CTX_set_time(context, 0, Int(now))
            X509_STORE_CTX_set_verify_cb(context, recordFault)
            let isJudged = X509_verify_cert(context) == 1
            if !isJudged { faults.recordStop(X509_STORE_CTX_get_error(context)) }
            let found = CertificateList.shared(X509_STORE_CTX_get0_chain(context))
            let untrusted = Int(X509_STORE_CTX_get_num_untrusted(context))
            return CertificatePath(
                certificates: found.isEmpty ? [presented.leaf] : found,
                faults: faults.faults + Self.faultsOfAuthorities(found.prefix(untrusted)))
        }
    }

    /// Returns a fault for each issuer that is not marked as a CA; anchors are exempt, because they are trusted
    /// explicitly.
    private static func faultsOfAuthorities(_ untrusted: ArraySlice<Certificate>) -> [PathFault] {
        untrusted.enumerated().dropFirst().compactMap { depth, certificate in
            certificate.isAuthority
                ? nil : PathFault(chainReason: "an issuer is not marked as a CA", depth: depth)
        }
    }
}

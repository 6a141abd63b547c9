import COpenSSL

/// Certificates that are trusted, and the search for paths that lead to one of them.
///
/// It is `@unchecked Sendable` because an `X509_STORE` is changed by initialisers only: OpenSSL counts references to it
/// atomically, and takes its lock for each look-up, in which a folder of roots may add to it.
final class AnchorStore: @unchecked Sendable {
    /// OpenSSL's security level, that of Debian's TLS: 112 bits, so RSA from 2048 bits and no SHA-1
    /// (`SSL_CTX_set_security_level(3)`).
    static let securityLevel: Int32 = 2
    /// The most certificates between a peer's and an anchor; the search goes no further.
    static let maxIntermediates: Int32 = 10

    private let store: OpaquePointer

    private init() throws(CertificateError) {
        guard let store = X509_STORE_new() else { throw .outOfMemory }
        self.store = store
        // The last rule as libcurl has it: a trusted certificate ends a path whether it is a root or not.
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

    /// Trusts these certificates, roots or not, and no others.
    convenience init(certificates: [Certificate]) throws(CertificateError) {
        try self.init()
        for certificate in certificates {
            guard X509_STORE_add_cert(store, certificate.pointer) == 1 else { throw .outOfMemory }
        }
    }

    /// Trusts what is in a file and, by the hash of its name, in a folder; either may be missing, and then nobody is
    /// trusted for it.
    static func reading(file: String, folder: String) throws(CertificateError) -> AnchorStore {
        let anchors = try AnchorStore()
        ErrorQueue.preserving {
            // What cannot be read leaves fewer roots: a refusal at worst.
            X509_STORE_load_file(anchors.store, file)
            X509_STORE_load_path(anchors.store, folder)
        }
        return anchors
    }

    /// Finds the path from a peer's certificate, and everything that is wrong with it.
    ///
    /// - Parameter now: Seconds since 1970.
    func path(from presented: PresentedChain, at now: Int64) throws(CertificateError) -> CertificatePath {
        guard let path = ErrorQueue.preserving({ search(from: presented, at: now) }) else { throw .outOfMemory }
        return path
    }

    /// `nil` when there is no memory.
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

    /// Those who sign without being marked as authorities; an anchor need not be, its mark is to be trusted.
    private static func faultsOfAuthorities(_ untrusted: ArraySlice<Certificate>) -> [PathFault] {
        untrusted.enumerated().dropFirst().compactMap { depth, certificate in
            certificate.isAuthority
                ? nil : PathFault(chainReason: "an issuer is not marked as an authority", depth: depth)
        }
    }
}

import CErrandOpenSSL
import ErrandLocking
import Glibc

/// The system's root certificates, shared by all policies and read again after they have changed.
///
/// Reading them takes 12 ms and 0.8 MB here.
enum SystemAnchors {
    /// The file in which Debian, Ubuntu and Alpine keep all roots; libcurl reads it too.
    private static let commonBundle = "/etc/ssl/certs/ca-certificates.crt"

    private static let latest = Mutex<(stamps: [Stamp?], anchors: AnchorStore)?>(nil)

    /// Returns the current roots.
    ///
    /// They are read from OpenSSL's default locations, which `SSL_CERT_FILE` and `SSL_CERT_DIR` override, or from the
    /// bundle of the distribution if OpenSSL has no file of its own. There may be none, in which case no peer is
    /// trusted.
    static func current() throws(CertificateError) -> AnchorStore {
        try current(file: file(), folder: folder())
    }

    /// Returns the current roots of a file and a directory; only the latest are cached.
    static func current(file: String, folder: String) throws(CertificateError) -> AnchorStore {
        let stamps = [Stamp(file), Stamp(folder)]
        return try latest.withLock { latest throws(CertificateError) -> AnchorStore in
            if let latest, latest.stamps == stamps { return latest.anchors }
            let anchors = try AnchorStore.reading(file: file, folder: folder)
            latest = (stamps, anchors)
            return anchors
        }
    }

    private static func file() -> String {
        if let chosen = environment(X509_get_default_cert_file_env()) { return chosen }
        guard let standard = X509_get_default_cert_file(), access(standard, R_OK) == 0 else { return commonBundle }
        return String(cString: standard)
    }

    private static func folder() -> String {
        if let chosen = environment(X509_get_default_cert_dir_env()) { return chosen }
        return X509_get_default_cert_dir().map { String(cString: $0) } ?? ""
    }

    private static func environment(_ name: UnsafePointer<CChar>?) -> String? {
        guard let name, let value = getenv(name) else { return nil }
        return String(cString: value)
    }

    /// The attributes by which a change of a file or directory is detected.
    private struct Stamp: Hashable {
        private let numbers: [Int]

        /// Returns `nil` if the path does not exist.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            let changed = status.st_mtim
            numbers = [
                Int(status.st_dev), Int(status.st_ino), Int(status.st_size), changed.tv_sec, changed.tv_nsec,
            ]
        }
    }
}

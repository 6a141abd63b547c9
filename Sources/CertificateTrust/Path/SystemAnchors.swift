import COpenSSL
import Glibc
import Locking

/// The system's roots: read once for all who trust them, and again when they have changed.
///
/// They take 12 ms and 0.8 MB here.
enum SystemAnchors {
    /// Where Debian, Ubuntu and Alpine have all the roots in one file, which libcurl reads.
    private static let commonBundle = "/etc/ssl/certs/ca-certificates.crt"

    private static let latest = Mutex<(stamps: [Stamp?], anchors: AnchorStore)?>(nil)

    /// The roots as they are now.
    ///
    /// They are where OpenSSL looks, which follows `SSL_CERT_FILE` and `SSL_CERT_DIR`; where it has no file of its own,
    /// in the bundle of the distribution. There may be none: then nobody is trusted.
    static func current() throws(CertificateError) -> AnchorStore {
        try current(file: file(), folder: folder())
    }

    /// Those of a file and a folder as they are now; only the latest are kept.
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

    /// What changes with a file or a folder.
    private struct Stamp: Hashable {
        private let numbers: [Int]

        /// `nil` when there is none.
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

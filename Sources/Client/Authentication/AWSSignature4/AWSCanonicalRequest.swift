import ErrandCryptography
import ErrandText
package import ErrandTransfer
package import HTTPTypes

/// The canonical form of a request, which client and service sign (AWS Signature Version 4, "Create a canonical
/// request").
package struct AWSCanonicalRequest: Sendable, Hashable {
    /// The names of the signed fields: in lower case, sorted and separated by semicolons.
    package let signedHeaders: String
    /// The canonical form.
    package let text: String

    /// The SHA-256 of the canonical form in hexadecimal digits.
    package var digest: String { Hexadecimal.encode(SHA256.hash(Array(text.utf8))) }

    /// Creates the canonical form.
    ///
    /// - Parameters:
    ///   - headers: All fields except `Host`, which is derived from the URL.
    ///   - payload: The hash of the content, or the marker for unsigned content.
    ///   - path: The rule for canonicalising the path.
    package init(
        method: HTTPRequest.Method, url: HTTPURL, headers: HTTPFields, payload: AWSPayload, path: PathRule
    ) {
        var fields = Self.signable(headers)
        fields["host"] = [Self.authority(of: url)]
        let sorted = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        signedHeaders = sorted.map(\.key).joined(separator: ";")
        let lines = sorted.map { "\($0.key):\($0.value.joined(separator: ","))\n" }.joined()
        text = [
            method.rawValue, path.canonical(url.path), Self.canonicalQuery(url.query ?? ""), lines, signedHeaders,
            payload.text,
        ].joined(separator: "\n")
    }

    // MARK: Path

    /// The rules by which services canonicalise paths.
    package enum PathRule: Sendable, Hashable {
        /// Merges repeated slashes and escapes the path as sent once more: every service except S3.
        case normalized
        /// Escapes once and keeps slashes as they are: S3, where a path is an object key.
        case objectKey

        private static let objectKeyCharacters = ASCIISet.unreserved.union("/")

        /// Returns the canonical form of a path that is sent as `path`.
        package func canonical(_ path: String) -> String {
            switch self {
            case .normalized:
                let segments = path.utf8.split(separator: UInt8(ascii: "/")).map { PercentCoding.encode($0) }
                let isFolder = segments.isEmpty || path.utf8.last == UInt8(ascii: "/")
                return "/" + segments.joined(separator: "/") + (isFolder && !segments.isEmpty ? "/" : "")
            case .objectKey:
                return PercentCoding.encode(PercentCoding.decode(Array(path.utf8)), keeping: Self.objectKeyCharacters)
            }
        }
    }

    // MARK: Query

    /// Returns the query items in normalised escaping, sorted by name and then by value.
    ///
    /// A `+` means a space, as in the services.
    package static func canonicalQuery(_ query: String) -> String {
        query.utf8.split(separator: UInt8(ascii: "&"))
            .map { item in
                let item = Substring(item)
                let end = item.utf8.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
                return (reescaped(item[..<end]), reescaped(item[end...].dropFirst()))
            }
            // Escaped text is ASCII, so strings sort in the order of their bytes.
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }

    private static func reescaped(_ text: Substring) -> String {
        PercentCoding.encode(PercentCoding.decode(Array(text.utf8), plusIsSpace: true))
    }

    // MARK: Headers

    /// The fields that are not signed, because the transport or a proxy may set, change or remove them.
    private static let unsigned: Set<HTTPField.Name> = [
        .acceptEncoding, .amazonTraceID, .authorization, .connection, .contentLength, .cookie, .expect, .te, .trailer,
        .transferEncoding, .upgrade, .userAgent, .via,
    ]

    /// Returns the canonical values of the signed fields by lower-case name; values of the same name keep their order.
    private static func signable(_ headers: HTTPFields) -> [String: [String]] {
        var fields: [String: [String]] = [:]
        for field in headers where !unsigned.contains(field.name) {
            fields[field.name.canonicalName, default: []].append(canonicalValue(field.value))
        }
        return fields
    }

    /// Returns a value without surrounding spaces and with runs of spaces merged into one.
    private static func canonicalValue(_ value: String) -> String {
        value.utf8.split(whereSeparator: \.isASCIIBlank).map { String(Substring($0)) }.joined(separator: " ")
    }

    /// Returns the value of `Host` as it is sent (RFC 9110 §7.2).
    private static func authority(of url: HTTPURL) -> String {
        url.port == url.scheme.defaultPort ? url.host : "\(url.host):\(url.port)"
    }
}

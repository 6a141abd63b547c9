import Digest
package import HTTPTypes
package import Transfer

/// A request in the one form that both sides sign (AWS Signature Version 4, "Create a canonical request").
package struct AWSCanonicalRequest: Sendable, Hashable {
    /// The names of the signed fields: lower case, sorted, with semicolons between them.
    package let signedHeaders: String
    /// The canonical form.
    package let text: String

    /// The SHA-256 of the canonical form, in hexadecimal digits.
    package var digest: String { Hexadecimal.encode(SHA256.hash(Array(text.utf8))) }

    /// Creates the canonical form.
    ///
    /// - Parameters:
    ///   - headers: All fields but `Host`, which follows from the URL.
    ///   - payload: What stands for the content.
    ///   - path: How the path is written.
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

    /// How a service wants the path written.
    package enum PathRule: Sendable, Hashable {
        /// Repeated slashes made one, and what is sent escaped once more: every service but S3.
        case normalized
        /// Escaped once, slashes as they are: S3, where a path is the name of an object.
        case objectKey

        /// The canonical form of a path that is sent as `path`.
        package func canonical(_ path: String) -> String {
            switch self {
            case .normalized:
                let segments = path.utf8.split(separator: UInt8(ascii: "/")).map { PercentCoding.encode($0) }
                let isFolder = segments.isEmpty || path.utf8.last == UInt8(ascii: "/")
                return "/" + segments.joined(separator: "/") + (isFolder && !segments.isEmpty ? "/" : "")
            case .objectKey:
                return PercentCoding.encode(PercentCoding.decode(path, plus: .plus), keeping: UInt8(ascii: "/"))
            }
        }
    }

    // MARK: Query

    /// The items, each escaped in the one way there is, sorted by name and then by value.
    ///
    /// A `+` means a space, as it does for the services.
    package static func canonicalQuery(_ query: String) -> String {
        query.utf8.split(separator: UInt8(ascii: "&"))
            .map { item in
                let item = Substring(item)
                let end = item.utf8.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
                return (reescaped(item[..<end]), reescaped(item[end...].dropFirst()))
            }
            // Escaped text is ASCII: the order of strings is the order of their bytes.
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }

    private static func reescaped(_ text: Substring) -> String {
        PercentCoding.encode(PercentCoding.decode(text, plus: .space))
    }

    // MARK: Headers

    /// Fields that are not signed: the transport or a proxy may still set, change or drop them.
    private static let unsigned: Set<HTTPField.Name> = [
        .acceptEncoding, .amazonTraceID, .authorization, .connection, .contentLength, .expect, .te, .trailer,
        .transferEncoding, .upgrade, .userAgent, .via,
    ]

    /// The canonical values of the fields that are signed, by lower-case name; the values of one name in their order.
    private static func signable(_ headers: HTTPFields) -> [String: [String]] {
        var fields: [String: [String]] = [:]
        for field in headers where !unsigned.contains(field.name) {
            fields[field.name.canonicalName, default: []].append(canonicalValue(field.value))
        }
        return fields
    }

    /// A value without spaces around it, and one space where there were several.
    private static func canonicalValue(_ value: String) -> String {
        value.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            .map { String(Substring($0)) }.joined(separator: " ")
    }

    /// `Host` as it is sent (RFC 9110 §7.2).
    private static func authority(of url: HTTPURL) -> String {
        url.port == url.scheme.defaultPort ? url.host : "\(url.host):\(url.port)"
    }
}

import ErrandCryptography
import ErrandText
import ErrandTime
package import ErrandTransfer
package import HTTPTypes

/// Signs whole requests with AWS Signature Version 4 in header fields.
///
/// A pure value: the same request, time and credentials result in the same signature.
package struct AWSSignature4: Sendable {
    private let credentials: AWSCredentials

    /// Creates a signer.
    package init(_ credentials: AWSCredentials) {
        self.credentials = credentials
    }

    /// Adds the fields of a signature to a request.
    ///
    /// - Parameters:
    ///   - headers: The fields of the request. Sets `Authorization`, `X-Amz-Date` and, with temporary credentials,
    ///     `X-Amz-Security-Token`. Also sets `X-Amz-Content-SHA256` for S3 and for unsigned content, unless it is
    ///     already present: the sender of streamed content may know its digest.
    ///   - payload: The part of the signature that covers the content.
    package func sign(
        _ headers: inout HTTPFields, method: HTTPRequest.Method, url: HTTPURL, payload: AWSPayload,
        at time: AWSTimestamp
    ) {
        headers[.amazonDate] = time.text
        if let token = credentials.sessionToken {
            headers[.amazonSecurityToken] = token
        }
        let payload = headers[.amazonContentSHA256].map(AWSPayload.signed) ?? payload
        if isObjectStore || payload == .unsigned {
            headers[.amazonContentSHA256] = payload.text
        }
        let canonical = AWSCanonicalRequest(
            method: method, url: url, headers: headers, payload: payload,
            path: isObjectStore ? .objectKey : .normalized)
        let scope = "\(time.day)/\(credentials.region)/\(credentials.service)/aws4_request"
        let text = ["AWS4-HMAC-SHA256", time.text, scope, canonical.digest].joined(separator: "\n")
        let signature = Hexadecimal.encode(
            HMACSHA256.authenticate(Array(text.utf8), key: signingKey(for: time.day)))
        headers[.authorization] =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), "
            + "SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)"
    }

    /// Returns the signing key, which is limited to one day, region and service.
    private func signingKey(for day: String) -> [UInt8] {
        [day, credentials.region, credentials.service, "aws4_request"]
            .reduce(Array("AWS4\(credentials.secretKey)".utf8)) { key, part in
                HMACSHA256.authenticate(Array(part.utf8), key: key)
            }
    }

    /// A Boolean value that indicates whether the service is S3 or follows its rules.
    private var isObjectStore: Bool {
        credentials.service == "s3" || credentials.service == "s3express" || credentials.service.hasPrefix("s3-")
    }
}

/// The header fields of AWS Signature Version 4, spelled as in its documentation.
extension HTTPField.Name {
    /// The time at which the request was signed.
    static let amazonDate = amazon("X-Amz-Date")
    /// The digest of the content, or the marker for unsigned content.
    static let amazonContentSHA256 = amazon("X-Amz-Content-SHA256")
    /// The token of temporary credentials.
    static let amazonSecurityToken = amazon("X-Amz-Security-Token")
    /// Added by tracing proxies on the way.
    static let amazonTraceID = amazon("X-Amzn-Trace-Id")

    /// Returns a field name; the fallback only satisfies the type system, because all names are valid tokens.
    private static func amazon(_ name: StaticString) -> HTTPField.Name {
        HTTPField.Name("\(name)") ?? .authorization
    }
}

/// A time in the form of AWS Signature Version 4, in UTC: `20150830T123600Z`, with its date `20150830`.
package struct AWSTimestamp: Sendable, Hashable {
    /// Date and time (ISO 8601, basic format).
    package let text: String

    /// The date alone.
    package var day: String { String(text.prefix(8)) }

    /// Creates a time from the seconds since 1970, clamped to the years 0000 to 9999.
    package init(secondsSince1970 seconds: Int64) {
        var text: [UInt8] = []
        CivilTime(clampingSecondsSince1970: seconds).write(.basic, to: &text)
        text.append(UInt8(ascii: "Z"))
        self.text = String(decoding: text, as: UTF8.self)
    }
}

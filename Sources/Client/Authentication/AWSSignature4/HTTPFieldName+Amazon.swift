import HTTPTypes

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

import HTTPTypes

/// Fields of AWS Signature Version 4, in the spelling of its documentation.
extension HTTPField.Name {
    /// When the request was signed.
    static let amazonDate = amazon("X-Amz-Date")
    /// The digest of the content, or that it is not signed.
    static let amazonContentSHA256 = amazon("X-Amz-Content-SHA256")
    /// The token of temporary credentials.
    static let amazonSecurityToken = amazon("X-Amz-Security-Token")
    /// Added by tracing proxies on the way.
    static let amazonTraceID = amazon("X-Amzn-Trace-Id")

    /// A name that is a token by its looks; the other branch is for the type alone.
    private static func amazon(_ name: StaticString) -> HTTPField.Name {
        HTTPField.Name("\(name)") ?? .authorization
    }
}

public import HTTPTypes

extension HTTPRequest.Method {
    /// Sending a request twice has the effect of sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}

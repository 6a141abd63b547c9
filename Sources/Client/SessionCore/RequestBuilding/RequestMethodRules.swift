package import HTTPTypes

/// The methods that no request may have, whatever a session allows.
package enum RequestMethodRules {
    /// Returns the reason to refuse a method; `nil` if a session may allow it.
    package static func reasonToRefuse(_ method: HTTPRequest.Method) -> String? {
        switch method {
        case .connect: "CONNECT is not supported: tasks cannot open tunnels"
        // RFC 9110 §9.3.8 forbids fields with secrets, which a session adds.
        case .trace: "TRACE is not supported: the response would repeat the credentials of the request"
        default: nil
        }
    }
}

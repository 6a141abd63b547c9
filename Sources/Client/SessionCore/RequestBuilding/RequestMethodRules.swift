import ErrandHTTPGrammar
package import HTTPTypes

/// The rules for the method of a request, whatever a session allows.
package enum RequestMethodRules {
    /// Returns the method of a request: the named one in upper case, otherwise POST with a body and GET without; `nil`
    /// if the name is not a token (RFC 9110 §9.1).
    package static func method(named name: String?, hasBody: Bool) -> HTTPRequest.Method? {
        guard let name else { return hasBody ? .post : .get }
        // Tokens are ASCII; for other characters, upper case may be surprising.
        guard Token.isToken(name.utf8) else { return nil }
        return HTTPRequest.Method(rawValue: name.uppercased())
    }

    /// Returns the reason to refuse a method; `nil` if a session may allow it.
    package static func reasonToRefuse(_ method: HTTPRequest.Method) -> String? {
        switch method {
        case .connect: "CONNECT is not supported: tasks cannot open tunnels"
        // RFC 9110 §9.3.8 forbids fields with secrets, which a session adds.
        case .trace: "TRACE is not supported: the response would repeat the credentials of the request"
        default: nil
        }
    }

    /// Returns the reason to refuse content with a method; `nil` if a request with it may have content.
    ///
    /// The content of a GET or HEAD request has no defined semantics (RFC 9110 §9.3.1).
    static func reasonToRefuseContent(with method: HTTPRequest.Method) -> String? {
        method == .get || method == .head ? "A GET or HEAD request cannot have a body" : nil
    }
}

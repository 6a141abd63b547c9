import HTTPTypes

/// The methods that a server knows: those of RFC 9110 §9.3 but CONNECT, and PATCH (RFC 5789).
enum KnownMethods {
    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .options, .patch, .trace,
    ]

    /// Whether a request with this method gets further than a 501.
    static func contains(_ method: HTTPRequest.Method) -> Bool {
        methods.contains(method)
    }
}

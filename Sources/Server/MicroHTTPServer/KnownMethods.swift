import HTTPTypes

/// The methods that the server accepts: those of RFC 9110 §9.3 except CONNECT, and PATCH (RFC 5789).
enum KnownMethods {
    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .options, .patch, .trace,
    ]

    /// Returns true if the method is accepted; other methods get a 501.
    static func contains(_ method: HTTPRequest.Method) -> Bool {
        methods.contains(method)
    }
}

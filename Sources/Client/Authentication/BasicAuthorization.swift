import ErrandText

/// The Basic authentication scheme (RFC 7617), in UTF-8.
enum BasicAuthorization {
    /// Returns the value of `Authorization`.
    static func value(username: String, password: String) -> String {
        "Basic " + Base64.encode(Array("\(username):\(password)".utf8))
    }
}

import ErrandHTTPServer

extension RequestHead {
    /// Collects the content of the request, and refuses a larger one.
    ///
    /// - Parameters:
    ///   - what: The content in words, as in `expected a task of at most 1024 bytes`.
    ///   - limit: The maximum size in bytes.
    ///   - setting: The setting that has the limit; `nil` for a fixed one.
    func collecting(
        _ what: String, atMost limit: Int, setting: String? = nil,
        _ respond: @escaping @Sendable ([UInt8]) -> ResponseDisposition
    ) -> RequestDisposition {
        let tooLarge: @Sendable () -> ServerResponse = {
            let place = setting.map { " (\($0))" } ?? ""
            return response(.contentTooLarge, "expected \(what) of at most \(limit) bytes\(place)")
        }
        return .buffered(limitBytes: limit, tooLarge: tooLarge, respond)
    }
}

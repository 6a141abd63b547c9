import ErrandHTTPServer
import HTTPTypes

extension RequestHead {
    /// The length of the content in bytes; `nil` for content in chunks, whose length only its end tells.
    ///
    /// A request with neither framing has no content (RFC 9112 §6.3).
    var contentLength: Int64? {
        guard let length = headers[.contentLength] else { return headers.contains(.transferEncoding) ? nil : 0 }
        return Int64(length)
    }

    /// Collects the content of the request, and refuses a larger one.
    ///
    /// - Parameters:
    ///   - what: The content in words, as in `expected a task of at most 1024 bytes`.
    ///   - limit: The maximum size in bytes.
    ///   - setting: The setting that has the limit; `nil` for a fixed one.
    func collecting(
        _ what: String, atMost limit: Int, setting: String? = nil,
        _ respond: @escaping @Sendable ([UInt8]) -> BufferedDisposition
    ) -> RequestDisposition {
        let tooLarge: @Sendable () -> ServerResponse = {
            let place = setting.map { " (\($0))" } ?? ""
            return response(.contentTooLarge, "expected \(what) of at most \(limit) bytes\(place)")
        }
        return .buffered(limitBytes: limit, tooLarge: tooLarge, respond)
    }
}

import ErrandHTTPGrammar
import ErrandResponseSerialization
import ErrandTransfer
public import HTTPTypes

// The readers of a response, the same for a good response and for that of an error.

extension SessionResponse {
    /// The status code.
    public var status: Int { head.status }

    /// The header fields, including secrets; use ``shownHeaders`` for display.
    public var headers: HTTPFields { head.headers }

    /// The bytes of the content, with content codings removed; `nil` if they are incomplete or not in memory.
    public var data: ArraySlice<UInt8>? {
        guard case .bytes(let bytes)? = body?.content else { return nil }
        return bytes[...]
    }

    /// The content as text in the charset of its content type, or a guess without one; `nil` if it is incomplete or not
    /// in memory.
    ///
    /// Malformed sequences become U+FFFD. Decoded on each call.
    public var text: String? {
        guard case .bytes(let bytes)? = body?.content else { return nil }
        return TextResponseSerializer.decode(bytes, contentType: contentType)
    }

    private var contentType: MediaType? {
        head.headers.first { $0.name == .contentType }.flatMap { MediaType(field: $0.value) }
    }

    /// Returns the response with the beginning of its content in memory, up to a number of bytes.
    ///
    /// Copies only longer content; its object is dropped, as it would not match.
    func truncated(to maxBytes: Int64) -> SessionResponse {
        guard case .bytes(let bytes)? = body?.content, bytes.count > maxBytes else { return self }
        let beginning = Array(bytes.prefix(Int(max(maxBytes, 0))))
        var response = self
        response.body = ReceivedBody(size: Int64(beginning.count), content: .bytes(beginning))
        response.object = .none
        return response
    }
}

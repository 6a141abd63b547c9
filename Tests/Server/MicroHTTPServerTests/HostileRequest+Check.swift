import ErrandLocking
import ErrandSupport
import Testing

extension HostileRequest {
    /// The request that follows on the same connection.
    static let next = Array("GET /hidden HTTP/1.1\r\nHost: test\r\n\r\n".utf8)

    /// Sends the request and another one, and expects the responses of its verdict.
    ///
    /// - Parameter pieceBytes: The number of bytes that are sent at a time.
    func check(on client: RawHTTPClient, pieceBytes: Int = .max) async throws {
        let bytes = raw + Self.next
        for start in stride(from: 0, to: bytes.count, by: min(pieceBytes, bytes.count)) {
            let piece = Array(bytes[start...].prefix(pieceBytes))
            // A request may be rejected before all of it was sent.
            do { try await client.send(piece) } catch { break }
        }
        client.finishSending()
        switch verdict {
        case .refused(let status):
            let response = try await client.response()
            #expect(response.status == status)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(response["Connection"] == "close")
            #expect(try await client.untilClosedOrReset().isEmpty)
        case .accepted(let content):
            #expect(try await client.response().text == "/ \(content)")
            #expect(try await client.response().text == "/hidden ")
            #expect(try await client.untilClosedOrReset().isEmpty)
        }
    }

    /// Expects that the handler saw the request as its verdict says, however often it was sent.
    func check(_ recorder: RequestRecorder, times: Int = 1) {
        let seen = recorder.seen.withLock { $0 }
        switch verdict {
        case .refused:
            // A head that arrives before the fault of its content reaches the handler; the content and what follows do
            // not.
            #expect(seen.heads.allSatisfy { $0 == "/" } && (times > 1 || seen.heads.isEmpty))
            #expect(seen.contents.isEmpty)
        case .accepted(let content):
            #expect(seen.heads == Array(repeating: ["/", "/hidden"], count: times).flatMap(\.self))
            #expect(seen.contents == Array(repeating: [content, ""], count: times).flatMap(\.self))
        }
    }
}

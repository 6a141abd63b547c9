import ErrandSupport
import HTTPSession
import Testing

@Suite("Content from httpbin", .timeLimit(.hang))
struct HTTPBinTransferTests {
    // MARK: Content codings

    @Test("is decoded, whatever the coding", arguments: [("gzip", "gzipped"), ("deflate", "deflated")])
    func decoded(path: String, member: String) async throws {
        let api = try await HTTPBin.session()
        let response = try await api.data(for: TaskRequest(path: path))
        #expect(response.utf8Text.contains("\"\(member)\": true"))
        let echo = try response.decoded(as: EchoedHeaders.self)
        #expect(echo.headers["Accept-Encoding"] == "gzip, deflate")
    }

    @Test("is rejected in a coding that was not offered")
    func notOffered() async throws {
        let api = try await HTTPBin.session()
        let error = await #expect(throws: SessionError.self) { try await api.data(for: TaskRequest(path: "brotli")) }
        #expect(error?.code == .badContentEncoding)
        #expect(error?.message.contains("\"br\"") == true)
    }

    @Test("stays encoded if the session offers no coding")
    func notDecoded() async throws {
        let api = try await HTTPBin.session {
            $0.acceptsCompression = false
            $0.response.serializer = .raw
        }
        let response = try await api.data(for: TaskRequest(path: "gzip"))
        #expect(response.bytes.prefix(2) == [0x1F, 0x8B])
        #expect(response.head.headers[.contentEncoding] == "gzip")
        let echo = try await api.data(for: TaskRequest(path: "headers")).decoded(as: EchoedHeaders.self)
        #expect(["identity", nil].contains(echo.headers["Accept-Encoding"]))
    }

    // MARK: Streams

    @Test("is complete without a stated length")
    func lines() async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let response = try await api.data(for: TaskRequest(path: "stream/100"))
        #expect(response.head.headers[.contentLength] == nil)
        let lines = response.utf8Text.split(separator: "\n")
        #expect(lines.count == 100)
        #expect(lines.last?.contains("\"id\": 99") == true)
    }

    @Test("is complete in chunks of any size", arguments: [1, 7, 1000, 40_000, 100_000])
    func chunks(size: Int) async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let count = size == 1 ? 2000 : 100_000
        let response = try await api.data(for: TaskRequest(path: "stream-bytes/\(count)?chunk_size=\(size)"))
        #expect(response.bytes.count == count)
    }

    @Test("is received as sent, in order")
    func order() async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let response = try await api.data(for: TaskRequest(path: "range/102400?chunk_size=333"))
        #expect(response.bytes == (0..<102_400).map { UInt8(ascii: "a") + UInt8($0 % 26) })
    }

    @Test("may come slowly, within the idle timeout")
    func drip() async throws {
        // On a busy machine a pause of the server may be longer than the timeout. Then all times are doubled.
        for exponent in 0... {
            let idle = Double(1 << exponent)
            let api = try await HTTPBin.session {
                $0.response.serializer = .raw
                $0.timeouts.idle = .seconds(idle)
            }
            // Longer than the timeout in total, but each pause is far shorter.
            let outcome = try await api.outcome(of: TaskRequest(path: "drip?duration=\(idle * 1.5)&numbytes=30"))
            if outcome.error?.code == .timedOut { continue }
            #expect(outcome.error == nil)
            #expect(outcome.response?.utf8Text == String(repeating: "*", count: 30))
            #expect(outcome.metrics.total > .seconds(idle))
            return
        }
    }

    @Test(
        "is rejected as soon as it is too large, with or without a stated length",
        arguments: ["range", "stream-bytes"])
    func tooLarge(path: String) async throws {
        let api = try await HTTPBin.session {
            $0.response.serializer = .raw
            $0.response.disposition.maxBodyBytes = 50_000
        }
        let outcome = try await api.outcome(of: TaskRequest(path: "\(path)/50001"))
        #expect(outcome.error?.code == .bodyTooLarge)
        #expect(outcome.response?.head.status == 200)
        #expect(outcome.response?.body == nil)
        #expect(try await api.data(for: TaskRequest(path: "\(path)/50000")).bytes.count == 50_000)
    }

    // MARK: Time

    @Test("may be late, within the timeouts")
    func delay() async throws {
        let api = try await HTTPBin.session()
        let outcome = try await api.outcome(of: TaskRequest(path: "delay/0.3"))
        #expect(outcome.error == nil)
        #expect(try #require(outcome.metrics.firstByte) >= .milliseconds(300))
        #expect(outcome.metrics.total >= .milliseconds(300))
    }
}

/// The response of `/headers`, `/gzip` and similar paths: the header fields of the request.
private struct EchoedHeaders: Decodable {
    var headers: [String: String]
}

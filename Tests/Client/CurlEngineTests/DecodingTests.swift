import ErrandCompression
import ErrandCurlEngine
import ErrandLocking
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: content codings", .timeLimit(.hang))
struct DecodingTests {
    private static let text = Array(String(repeating: "Sphinx of black quartz, judge my vow\n", count: 20_000).utf8)

    /// The ways in which a server marks the end of the content.
    enum Framing: String, CaseIterable {
        case length
        case chunks
        case close
    }

    /// Returns a script that responds to one request with encoded content.
    private static func response(_ content: [UInt8], coding: String, _ framing: Framing) -> ScriptedServer.Script {
        { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nConnection: close\r\n")
            switch framing {
            case .length:
                try connection.send("Content-Length: \(content.count)\r\n\r\n")
                try connection.send(content)
            case .chunks:
                try connection.send("Transfer-Encoding: chunked\r\n\r\n")
                for start in stride(from: 0, to: content.count, by: 1_000) {
                    let chunk = content[start...].prefix(1_000)
                    try connection.send("\(String(chunk.count, radix: 16))\r\n")
                    try connection.send(Array(chunk))
                    try connection.send("\r\n")
                }
                try connection.send("0\r\n\r\n")
            case .close:
                try connection.send("\r\n")
                try connection.send(content)
            }
        }
    }

    private static func perform(
        _ script: @escaping ScriptedServer.Script, method: HTTPRequest.Method = .get,
        onPiece: @escaping @Sendable (Int) -> ReceiveDecision = { _ in .more }
    ) async throws -> (outcome: TransferOutcome, receiver: RecordingReceiver) {
        try await withServer(script) { server, session in
            var request = try server.request(method)
            request.acceptsCompression = true
            let receiver = RecordingReceiver(onPiece: onPiece)
            return (await session.perform(request, receiver: receiver), receiver)
        }
    }

    @Test("are decoded, with joined members, and in lists from last to first", arguments: Framing.allCases)
    func decoded(framing: Framing) async throws {
        let gzip = try ContentCoding.gzip.encode(Self.text)
        let contents: [(String, [UInt8], Int)] = [
            ("gzip", gzip, 1), ("deflate", try ContentCoding.deflate.encode(Self.text), 1),
            ("x-gzip", gzip + gzip + [0, 0, 0], 2), ("gzip, deflate", try ContentCoding.deflate.encode(gzip), 1),
        ]
        for (coding, content, times) in contents {
            let (outcome, receiver) = try await Self.perform(Self.response(content, coding: coding, framing))
            #expect(outcome.error == nil, "\(coding)")
            #expect(receiver.body == Self.text.repeated(times), "\(coding)")
            let progress = await receiver.control().progress
            #expect(progress.received == Int64(receiver.body.count) && progress.receiveTotal == nil)
            #expect(progress.receivedOnWire == Int64(content.count))
            #expect(progress.receiveTotalOnWire == (framing == .length ? Int64(content.count) : nil))
        }
    }

    @Test("cause an error if the content is truncated, after delivering the data before", arguments: Framing.allCases)
    func cut(framing: Framing) async throws {
        for coding in ContentCoding.allCases {
            let content = try coding.encode(Self.text)
            for count in [1, content.count / 2, content.count - 1] {
                let script = Self.response(Array(content.prefix(count)), coding: coding.rawValue, framing)
                let (outcome, receiver) = try await Self.perform(script)
                #expect(outcome.error?.code == .badContentEncoding, "\(coding), \(count) of \(content.count)")
                #expect(outcome.error?.mayHaveArrived == true)
                #expect(outcome.head?.status == 200)
                #expect(Self.text.starts(with: receiver.body))
            }
        }
    }

    @Test("cause an error if other bytes follow the end", arguments: ContentCoding.allCases)
    func trailing(coding: ContentCoding) async throws {
        let content = try coding.encode(Self.text) + Array("\r\n".utf8)
        let (outcome, _) = try await Self.perform(Self.response(content, coding: coding.rawValue, .length))
        #expect(outcome.error?.code == .badContentEncoding)
    }

    @Test(
        "are ignored in responses without content",
        arguments: [
            (.head, "200 OK\r\nContent-Length: 100"), (.get, "204 No Content"),
            (.get, "304 Not Modified\r\nContent-Length: 100"), (.get, "200 OK\r\nContent-Length: 0"),
            (.get, "200 OK\r\nConnection: close"),
        ] as [(HTTPRequest.Method, String)], ["gzip", "deflate", "br"])
    func nothing(response: (method: HTTPRequest.Method, head: String), coding: String) async throws {
        let (outcome, receiver) = try await Self.perform(
            { connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 \(response.head)\r\nContent-Encoding: \(coding)\r\n\r\n")
            }, method: response.method)
        #expect(outcome.error == nil)
        #expect(receiver.body.isEmpty)
    }

    @Test("that were not offered cause an error that names them")
    func notOffered() async throws {
        for coding in ["br", "zstd", "compress", "gzip, br"] {
            let (outcome, receiver) = try await Self.perform(Self.response(Self.text, coding: coding, .length))
            #expect(outcome.error?.code == .badContentEncoding)
            #expect(outcome.error?.message.contains("not offered") == true)
            #expect(receiver.body.isEmpty)
        }
    }

    @Test("used as transfer codings cause an error", arguments: ["gzip, chunked", "gzip", "br, chunked"])
    func transferCodings(codings: String) async throws {
        let (outcome, receiver) = try await Self.perform { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(codings)\r\n\r\n")
            connection.waitForClose()
        }
        #expect(outcome.error?.code == .badContentEncoding)
        #expect(receiver.body.isEmpty)
    }

    @Test("are decoded only as fast as the receiver reads, even within a piece", arguments: Framing.allCases)
    func pauses(framing: Framing) async throws {
        let content = try ContentCoding.gzip.encode(Self.text)
        let other = try ScriptedServer(greeting)
        defer { other.stop() }
        try await withServer(Self.response(content, coding: "gzip", framing)) { server, session in
            var request = try server.request()
            request.acceptsCompression = true
            let receiver = RecordingReceiver(onPiece: { _ in .pause })
            async let outcome = session.perform(request, receiver: receiver)
            let control = await receiver.control()
            var count = 0
            var received = 0
            while received < Self.text.count {
                count += 1
                // One piece for each time that the receiver continues.
                let pieces = await receiver.pieces.first(count)
                // The engine would have passed on another piece before this response.
                #expect(await session.perform(try other.request()).text == "hello")
                #expect(receiver.pieces.events.count == count)
                #expect(pieces[count - 1] - received <= ContentDecoder.pieceBytes)
                received = pieces[count - 1]
                control.resumeReceiving()
            }
            #expect(await outcome.error == nil)
            #expect(receiver.body == Self.text)
            #expect(count >= Self.text.count / ContentDecoder.pieceBytes)
        }
    }

    @Test("are decoded over several turns if a piece expands to megabytes")
    func turns() async throws {
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        // 8 KiB are one piece of content for libcurl.
        let content = try ContentCoding.gzip.encode(zeros)
        #expect(content.count < 16_384)
        let (outcome, receiver) = try await Self.perform(Self.response(content, coding: "gzip", .length))
        #expect(outcome.error == nil)
        #expect(receiver.body == zeros)
    }
}

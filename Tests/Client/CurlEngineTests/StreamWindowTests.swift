import CErrandHTTP2Streams
import ErrandCurlEngine
import ErrandLocking
import ErrandSupport
import ErrandTransfer
import Testing

/// Checks the content that an HTTP/2 peer may send to a stream whose receiver is full (RFC 9113 §5.2).
@Suite("CurlEngine: the windows of HTTP/2 streams", .timeLimit(.hang), .enabled(if: SecureRelay.isInstalled))
struct StreamWindowTests {
    /// The content that a client permits for its first stream (RFC 9113 §6.9).
    private struct Credit {
        static let byDefault = 65_535

        /// The number of bytes in all, by the frames that were read so far.
        private(set) var bytes = Self.byDefault
        private var initial = Self.byDefault
        private var sent = 0

        /// Reads frames until the next request.
        mutating func read(from connection: ScriptedConnection) throws {
            while try readFrame(from: connection).type != 1 {}
        }

        /// Reads frames until more is permitted.
        mutating func readMore(from connection: ScriptedConnection) throws {
            let before = bytes
            while bytes == before { _ = try readFrame(from: connection) }
        }

        private mutating func readFrame(from connection: ScriptedConnection) throws -> HTTP2Frame {
            let frame = try connection.readHTTP2Frame()
            switch frame.type {
            case 4 where frame.flags & 1 == 0: note(settings: frame.payload)
            case 8 where frame.stream == 1: bytes += Self.number(frame.payload[...])
            default: break
            }
            return frame
        }

        /// Sends content for the first stream, up to a number of bytes in all.
        mutating func send(upTo limit: Int, over connection: ScriptedConnection) throws {
            while sent < limit {
                let content = [UInt8](repeating: 120, count: min(limit - sent, StreamWindowTests.largestFrame))
                try connection.send(HTTP2Frames.frame(type: 0, stream: 1, content))
                sent += content.count
            }
        }

        /// Reads the next request, sends what the client permits by then, and responds to the request.
        mutating func exchange(_ stream: UInt8, over connection: ScriptedConnection) throws {
            try read(from: connection)
            try send(upTo: bytes, over: connection)
            try connection.send(HTTP2Frames.response("hello", stream: stream))
        }

        private mutating func note(settings: [UInt8]) {
            for start in stride(from: 0, to: settings.count, by: 6)
            where Self.number(settings[start..<start + 2]) == 4 {
                let value = Self.number(settings[start + 2..<start + 6])
                bytes += value - initial
                initial = value
            }
        }

        private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    }

    private static let largestFrame = 16_384

    /// Begins the response to the first request of a client, and sends as much of its content as the client permits.
    private static func sendingAllPermitted(over connection: ScriptedConnection) throws -> Credit {
        var credit = Credit()
        _ = try connection.read(24)
        try connection.send(HTTP2Frames.settings + HTTP2Frames.settingsAck)
        try credit.read(from: connection)
        try connection.send(HTTP2Frames.ok)
        try credit.send(upTo: credit.bytes, over: connection)
        return credit
    }

    /// Runs `body` with a transfer that has received one piece, and whose peer has then sent all that it may.
    ///
    /// - Parameter onPiece: Called for each piece of content after the first, by its number from 1.
    private func withFullReceiver(
        onPiece: @escaping @Sendable (Int) -> Void = { _ in },
        _ body: (RecordingReceiver, Task<TransferOutcome, Never>, _ permitted: Int) async throws -> Void
    ) async throws {
        let permitted = EventLog<Int>()
        try await withHTTP2Server(over: .tls) { connection in
            var credit = try Self.sendingAllPermitted(over: connection)
            for stream in [3, 5] as [UInt8] {
                try credit.read(from: connection)
                if stream == 5 { permitted.append(credit.bytes) }
                try connection.send(HTTP2Frames.response("hello", stream: stream))
            }
            try connection.send(HTTP2Frames.frame(type: 0, flags: 1, stream: 1))
            connection.waitForClose()
        } _: { server, session in
            let request = server.request
            let receiver = RecordingReceiver(onPiece: { number in
                if number == 0 { return .pause }
                onPiece(number)
                return .more
            })
            let task = session.begin(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            // The connection is read for these, and the content of the first stream is before their responses. What the
            // client permits after the first of them, the server has read before it responds to the second.
            for _ in 0..<2 { #expect(await session.perform(request).text == "hello") }
            #expect(receiver.pieces.events.count == 1)
            try await body(receiver, task, await permitted.first(1)[0])
        }
    }

    @Test("a peer may send no more than the window to a stream whose receiver is full")
    func window() async throws {
        try await withFullReceiver { receiver, task, permitted in
            #expect(permitted <= Int(CHTTP2STREAMS_STREAM_WINDOW) + Self.largestFrame)
            await receiver.control().resumeReceiving()
            #expect(await task.value.error == nil)
            #expect(receiver.body.count >= Int(CHTTP2STREAMS_STREAM_WINDOW))
        }
    }

    @Test("content that was kept for a full receiver gets only its share of a turn")
    func shares() async throws {
        let own = Mutex<(any TransferControl)?>(nil)
        try await withFullReceiver(onPiece: { number in if number == 1 { own.withLock { $0 }?.cancel() } }) {
            receiver, task, _ in
            let control = await receiver.control()
            own.withLock { $0 = control }
            control.resumeReceiving()
            #expect(await task.value.error == .canceled)
            // The first piece, and what one turn takes: the cancel is handled before the next.
            #expect(receiver.body.count <= 262_144 + 2 * Self.largestFrame)
        }
    }

    @Test("a peer may send more only when the receiver has taken all, also if it takes one piece after the other")
    func pieces() async throws {
        let rounds = 3
        let permitted = EventLog<Int>()
        let sent = EventLog<Int>()
        try await withHTTP2Server(over: .tls) { connection in
            var credit = try Self.sendingAllPermitted(over: connection)
            for number in 1...UInt8(2 * rounds) {
                try credit.exchange(2 * number + 1, over: connection)
                permitted.append(credit.bytes)
            }
            // The receiver takes the rest, and so the peer may go on.
            try credit.readMore(from: connection)
            try credit.send(upTo: credit.bytes, over: connection)
            try connection.send(HTTP2Frames.frame(type: 0, flags: 1, stream: 1))
            sent.append(credit.bytes)
            connection.waitForClose()
        } _: { server, session in
            let request = server.request
            let receiver = RecordingReceiver(onPiece: { $0 < rounds ? .pause : .more })
            let task = session.begin(request, receiver: receiver)
            for round in 0..<rounds {
                _ = await receiver.pieces.first(round + 1)
                // What the client has permitted by the first of them, the peer has sent before its response.
                for _ in 0..<2 { #expect(await session.perform(request).text == "hello") }
                let count = 2 * (round + 1)
                let kept = await permitted.first(count)[count - 1] - receiver.body.count
                #expect(kept <= Int(CHTTP2STREAMS_STREAM_WINDOW) + Self.largestFrame)
                await receiver.control().resumeReceiving()
            }
            #expect(await task.value.error == nil)
            let count = await sent.first(1)[0]
            #expect(receiver.body.count == count)
            #expect(count > Int(CHTTP2STREAMS_STREAM_WINDOW))
        }
    }

    @Test("a transfer that goes on before the peer acknowledges the settings permits it no more than the window")
    func settings() async throws {
        let permitted = EventLog<Int>()
        try await withHTTP2Server(over: .tls) { connection in
            var credit = Credit()
            _ = try connection.read(24)
            try connection.send(HTTP2Frames.settings)
            try credit.read(from: connection)
            try connection.send(HTTP2Frames.ok)
            try credit.send(upTo: Credit.byDefault, over: connection)
            for stream in [3, 5] as [UInt8] {
                try credit.read(from: connection)
                permitted.append(credit.bytes)
                try connection.send(HTTP2Frames.response("hello", stream: stream))
            }
            try connection.send(HTTP2Frames.settingsAck + HTTP2Frames.frame(type: 0, flags: 1, stream: 1))
            connection.waitForClose()
        } _: { server, session in
            let request = server.request
            let receiver = RecordingReceiver(onPiece: { $0 == 0 ? .pause : .more })
            let task = session.begin(request, receiver: receiver)
            _ = await receiver.pieces.first(1)
            #expect(await session.perform(request).text == "hello")
            await receiver.control().resumeReceiving()
            #expect(await session.perform(request).text == "hello")
            let more = await permitted.first(2)[1] - Credit.byDefault
            #expect(more <= Int(CHTTP2STREAMS_STREAM_WINDOW) + Self.largestFrame)
            #expect(await task.value.error == nil)
            #expect(receiver.body.count == Credit.byDefault)
        }
    }
}

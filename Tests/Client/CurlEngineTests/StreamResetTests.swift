import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Checks that the peer of an HTTP/2 stream learns at once that its response is not wanted (RFC 9113 §5.4.2).
@Suite("CurlEngine: the resets of HTTP/2 streams", .timeLimit(.hang), .enabled(if: SecureRelay.isInstalled))
struct StreamResetTests {
    /// The ways in which a transfer is given up.
    enum End: CaseIterable {
        case canceledBeforeHead, canceledWhilePaused, suspendedAndCanceled, refusedHead, refusedContent, failedSource
    }

    private static let cancel: [UInt8] = [0, 0, 0, 8]

    private func receiver(for end: End) -> RecordingReceiver {
        RecordingReceiver(
            onHead: { _ in end == .refusedHead ? .stop(.bodyTooLarge(limit: 0)) : .proceed },
            onPiece: { _ in end == .refusedContent ? .stop(.bodyTooLarge(limit: 0)) : .pause })
    }

    /// Gives up a transfer whose request has arrived.
    private func give(_ transfer: RecordingReceiver, _ end: End) async {
        switch end {
        case .canceledBeforeHead: await transfer.control().cancel()
        case .canceledWhilePaused, .suspendedAndCanceled:
            _ = await transfer.pieces.first(1)
            if end == .suspendedAndCanceled { await transfer.control().suspend() }
            await transfer.control().cancel()
        case .refusedHead, .refusedContent, .failedSource: break
        }
    }

    @Test(
        "a transfer that is given up resets its stream once, and the connection is used again", arguments: End.allCases)
    func reset(end: End) async throws {
        let (requests, resets) = (EventLog<Void>(), EventLog<[UInt8]>())
        try await withHTTP2Server(over: .tls) { connection in
            try connection.beginHTTP2()
            requests.append()
            if end != .canceledBeforeHead, end != .failedSource {
                try connection.send(HTTP2Frames.ok + HTTP2Frames.data("hello", isLast: false))
            }
            while resets.events.isEmpty { try Self.note(connection.readHTTP2Frame(), in: resets) }
            while try Self.note(connection.readHTTP2Frame(), in: resets) != 1 {}
            try connection.send(HTTP2Frames.response("hello", stream: 3))
            connection.waitForClose()
        } _: { server, session in
            let request = server.request
            var first = request
            if end == .failedSource {
                first.method = .post
                first.body = .source(ListSource(["some"], end: .failed(TransferError(.transportError, "no more"))))
            }
            let receiver = receiver(for: end)
            let task = session.begin(first, receiver: receiver)
            _ = await requests.first(1)
            await give(receiver, end)
            #expect(await task.value.error != nil)
            // Nothing else is sent over the connection.
            #expect(await resets.first(1) == [Self.cancel])
            let (outcome, text) = await session.perform(request)
            #expect(text == "hello")
            #expect(outcome.metrics.connectionReused)
            #expect(resets.events == [Self.cancel])
        }
    }

    /// Notes a frame that resets the first stream, and returns the type of the frame.
    @discardableResult
    private static func note(_ frame: HTTP2Frame, in resets: EventLog<[UInt8]>) -> UInt8 {
        if frame.type == 3, frame.stream == 1 { resets.append(frame.payload) }
        return frame.type
    }
}

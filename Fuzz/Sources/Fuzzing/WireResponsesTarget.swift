import ErrandCurlEngine
import ErrandLocking
import ErrandTransfer

extension FuzzTarget {
    /// Fuzzes responses of an upstream on the wire, to consecutive requests of one session.
    ///
    /// Each response affects only its own transfer, and the session continues. The first byte selects the connections
    /// that stay open; `0x1E` separates two responses.
    static let wireResponses = FuzzTarget("wire-responses", maxBytes: 4096) { input in
        guard let first = input.first else { return }
        try await WireScene.use { scene in try await scene.play(first, input.dropFirst()) }
    }
}

/// A server and a session, used by one input at a time.
private struct WireScene: Sendable {
    private let peer: ScriptedPeer
    private let session: CurlSession

    /// The scenes that are not in use.
    private static let free = Mutex<[WireScene]>([])

    /// Calls `body` with a scene that no other input uses at the same time.
    static func use(_ body: (WireScene) async throws -> Void) async throws {
        let scene =
            try free.withLock { $0.popLast() } ?? WireScene(peer: ScriptedPeer(), session: CurlEngine().session())
        defer { free.withLock { $0.append(scene) } }
        try await body(scene)
    }

    /// Runs an input: its first byte, and the rest.
    func play(_ first: UInt8, _ rest: ArraySlice<UInt8>) async throws {
        let parts = rest.split(separator: 0x1E, maxSplits: 7, omittingEmptySubsequences: false)
        let responses = parts.enumerated().map { number, bytes in
            ScriptedPeer.Response(bytes: Array(bytes), closes: first >> number & 1 == 0)
        }
        let path = peer.play(responses)
        // This limit ends an incomplete response on an open connection.
        let timeouts = TransferTimeouts(connect: .seconds(5), idle: .milliseconds(30), total: .seconds(5))
        let request = TransferRequest(url: try url(path), timeouts: timeouts)
        for _ in responses {
            let receiver = DiscardingReceiver()
            let outcome = await session.perform(request, receiver: receiver)
            try expect(outcome.error != nil || outcome.head != nil, "a transfer ends with a response or an error")
            if let head = outcome.head {
                try expect((200...999).contains(head.status), "a final status: \(head.status)")
                try expect(head.headers.count <= ResponseHeadParser.maxFields, "the limit of fields holds")
            }
        }
        guard responses.indices.allSatisfy({ responses[$0].closes }) else { return }
        let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
        let lastPath = peer.play([ScriptedPeer.Response(bytes: Array(hello.utf8), closes: true)])
        var last = TransferRequest(url: try url(lastPath), timeouts: TransferTimeouts(total: .seconds(5)))
        // The peer may be about to close the kept connection.
        last.mayResend = true
        let receiver = DiscardingReceiver()
        let outcome = await session.perform(last, receiver: receiver)
        try expect(outcome.error == nil && outcome.head?.status == 200, "the session continues: \(outcome)")
    }

    private func url(_ path: String) throws -> HTTPURL {
        try HTTPURL("http://127.0.0.1:\(peer.port)\(path)")
    }
}

import ErrandLocking
import ErrandSupport
import Foundation

/// A server of one content in parts, with a behaviour for each request.
final class PartServer: Sendable {
    /// The answer to a request.
    enum Answer: Sendable {
        /// The part that was asked for.
        case part
        /// The part, with a further field in its head.
        case marked(String)
        /// The part, but the connection is closed after a number of bytes.
        case cut(Int)
        /// A part with fewer bytes than were asked for.
        case shorter(Int)
        /// A part at another position than the one that was asked for.
        case shifted
        /// The whole content, as if the server had no parts.
        case whole
        /// Another content.
        case changed(ServedContent)
        /// A status without content.
        case status(String)
        /// The first bytes of the part; the others follow when the gate is opened.
        case held(Int, Gate)
        /// The first bytes of the part; the connection is closed when the gate is opened.
        case heldAndCut(Int, Gate)
    }

    /// A request for a part.
    struct Request: Sendable {
        /// The number of the request, from 0.
        let number: Int
        /// The bytes that are asked for; `nil` for the whole content.
        let range: Range<Int>?
    }

    let content: ServedContent
    private let state = Mutex(State())
    private let answer: @Sendable (Request) -> Answer

    private struct State {
        var requests = 0
        var sent = 0
    }

    /// Creates a server with 5 MiB.
    init(
        _ bytes: Int = 5 << 20, validator: String = #"ETag: "v1""#,
        _ answer: @escaping @Sendable (Request) -> Answer
    ) {
        content = ServedContent(bytes, validator: validator)
        self.answer = answer
    }

    /// The number of content bytes that were sent.
    var sent: Int { state.withLock { $0.sent } }

    /// Starts the server, which the test stops.
    func start() throws -> ScriptedServer {
        try ScriptedServer { connection in
            while true { try self.respond(to: connection.readRequest(), on: connection) }
        }
    }

    private func respond(to request: ScriptedRequest, on connection: ScriptedConnection) throws {
        let range = request.byteRange(of: content.bytes.count)
        let number = state.withLock { state in
            defer { state.requests += 1 }
            return state.requests
        }
        guard let range else {
            var content = content
            if case .changed(let other) = answer(Request(number: number, range: nil)) { content = other }
            try content.send(first: content.bytes.count, on: connection)
            return count(content.bytes.count)
        }
        switch answer(Request(number: number, range: range)) {
        case .part:
            try content.send(range, on: connection)
            count(range.count)
        case .marked(let field):
            var marked = content
            marked.validator += "\r\n\(field)"
            try marked.send(range, on: connection)
            count(range.count)
        case .cut(let bytes):
            try send(range, first: bytes, on: connection)
            throw Cut()
        case .shorter(let bytes):
            let part = range.prefix(bytes)
            try content.send(part.startIndex..<part.endIndex, on: connection)
            count(part.count)
        case .shifted:
            try content.send(range.lowerBound - 1..<range.upperBound - 1, on: connection)
        case .whole:
            // The client may close the connection when it has seen the head.
            try content.send(first: content.bytes.count, on: connection)
        case .changed(let other):
            try other.send(first: other.bytes.count, on: connection)
        case .status(let status):
            try connection.respond(status)
        case .heldAndCut(let bytes, let gate):
            try cut(range, after: bytes, whenOpen: gate, on: connection)
        case .held(let bytes, let gate):
            try send(range, first: bytes, on: connection)
            gate.wait()
            let rest = range.dropFirst(bytes)
            try connection.send(Array(content.bytes[rest.startIndex..<rest.endIndex]))
            count(rest.count)
        }
    }

    private func cut(_ range: Range<Int>, after bytes: Int, whenOpen gate: Gate, on connection: ScriptedConnection)
        throws
    {
        try send(range, first: bytes, on: connection)
        gate.wait()
        throw Cut()
    }

    private func send(_ range: Range<Int>, first bytes: Int, on connection: ScriptedConnection) throws {
        let head =
            "HTTP/1.1 206 Partial Content\r\n\(content.validator)\r\nContent-Length: \(range.count)\r\n"
            + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.bytes.count)\r\n\r\n"
        try connection.send(head)
        let sent = range.prefix(bytes)
        try connection.send(Array(content.bytes[sent.startIndex..<sent.endIndex]))
        count(sent.count)
    }

    private func count(_ bytes: Int) {
        state.withLock { $0.sent += bytes }
    }

    /// The connection is closed on purpose.
    private struct Cut: Error {}
}

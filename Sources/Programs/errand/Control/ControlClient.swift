import ErrandCurlEngine
import ErrandJSON
import ErrandLocking
import ErrandTransfer
import HTTPTypes

/// The connection of a command to the running gateway, over the control socket.
struct ControlClient {
    /// The path of the configuration file, for messages.
    let configuration: String
    /// The sockets to try, in this order.
    let candidates: [ControlSocket]
    /// The sockets of other users, of which one is asked if it is the only one and no candidate has answered.
    let others: [ControlSocket.Foreign]

    /// A response of the gateway.
    struct Response {
        /// The status.
        var status: Int
        /// The content, which is JSON.
        var document: JSONDocument?
        /// The note about the process of another user, which need not be a gateway; `nil` for any other process.
        var note: String?
    }

    /// The answer to a request.
    enum Answer {
        /// The gateway has answered.
        case response(Response)
        /// No gateway listens on any of the sockets that this user may use; with the message for the user.
        case notRunning(String)
        /// Several users have a socket, and none of them was asked; with the message for the user.
        case ambiguous(String)
        /// The gateway has accepted the connection, but did not answer in time.
        case late
        /// The gateway did not answer.
        case failed(String)
    }

    /// Sends a request without content to the first gateway that listens.
    ///
    /// - Parameter limit: The longest time for the response.
    func send(_ method: HTTPRequest.Method, _ path: String, within limit: Duration) async throws -> Answer {
        let engine = try CurlEngine()
        let answer = try await send(method, path, within: limit, over: engine)
        await engine.shutdown()
        return answer
    }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, within limit: Duration, over engine: CurlEngine
    ) async throws -> Answer {
        let request = TransferRequest(
            method: method, url: try HTTPURL("http://localhost\(path)"), timeouts: TransferTimeouts(total: limit))
        var forbidden: [ControlSocket] = []
        for socket in candidates {
            switch socket.state() {
            case .listening:
                if let answer = await ask(socket, request, over: engine) { return answer }
            case .forbidden:
                forbidden.append(socket)
            case .unusable:
                continue
            }
        }
        // Any user can listen on a socket with the name of this gateway's.
        var listening: [ControlSocket.Foreign] = []
        for other in others {
            switch other.socket.state() {
            case .listening: listening.append(other)
            case .forbidden: forbidden.append(other.socket)
            case .unusable: continue
            }
        }
        if listening.count > 1 { return .ambiguous(choice(of: listening)) }
        if let other = listening.first,
            let answer = await ask(other.socket, request, over: engine, otherUser: other.user)
        {
            return answer
        }
        return .notRunning(absence(besides: forbidden.first))
    }

    /// Returns the answer of the process at a socket; `nil` if it does not listen any more.
    ///
    /// - Parameter otherUser: The user whose process it is, for the note; `nil`, the default, for no note.
    private func ask(
        _ socket: ControlSocket, _ request: TransferRequest, over engine: CurlEngine, otherUser: UInt32? = nil
    ) async -> Answer? {
        let receiver = ContentReceiver()
        let session = engine.session(ConnectionOptions(unixSocket: socket.path))
        let outcome = await session.perform(request, receiver: receiver)
        if outcome.error?.code == .cannotConnect { return nil }
        if outcome.error?.code == .timedOut { return .late }
        guard outcome.error == nil, let head = outcome.head else {
            return .failed(outcome.error?.message.visible ?? "there is no response")
        }
        return .response(
            Response(
                status: head.status, document: try? JSONDocument.parse(receiver.bytes),
                note: otherUser.map { "answered by the process of user \($0) at \(socket.path)" }))
    }

    /// Returns the message for several sockets, of which at most one is that of the gateway.
    private func choice(of sockets: [ControlSocket.Foreign]) -> String {
        let places = sockets.map { "\($0.socket.path) of user \($0.user)" }.joined(separator: ", ")
        return "processes of several users listen for commands to the gateway with \(configuration): \(places); "
            + "choose one with --control"
    }

    /// Returns the message for the case that no gateway listens.
    ///
    /// - Parameter forbidden: A socket that this user may not use, if there is one.
    private func absence(besides forbidden: ControlSocket?) -> String {
        guard let forbidden else {
            let places = (candidates + others.map(\.socket)).map(\.path).joined(separator: ", ")
            return "no gateway runs with \(configuration); checked: \(places)"
        }
        return "no gateway was found that runs with \(configuration), and this user may not use \(forbidden.path); "
            + "run the command as the user of the gateway or as root"
    }
}

/// A receiver of content in memory, for the short responses of the gateway.
private final class ContentReceiver: TransferReceiver {
    private let content = Mutex<[UInt8]>([])

    /// The most bytes; longer content is an error.
    private static let maxBytes = 16 << 20

    /// The content.
    var bytes: [UInt8] { content.withLock { $0 } }

    func transferDidStart(_ control: any TransferControl) {}

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        let fits = content.withLock { content in
            bytes.withUnsafeBytes { content.append(contentsOf: $0) }
            return content.count <= Self.maxBytes
        }
        return fits ? .more : .stop(TransferError(.bodyTooLarge, "the response of the gateway is too large"))
    }
}

import ErrandCurlEngine
import ErrandJSON
import ErrandLocking
import ErrandTransfer
import HTTPTypes

/// The connection of a command to the running gateway, over the control socket.
struct ControlClient {
    /// The sockets to try, in this order.
    let candidates: [ControlSocket]

    /// The paths of the sockets, for messages.
    var places: String { candidates.map(\.path).joined(separator: ", ") }

    /// A response of the gateway.
    struct Response {
        /// The status.
        var status: Int
        /// The content, which is JSON.
        var document: JSONDocument?
    }

    /// The answer to a request.
    enum Answer {
        /// The gateway has answered.
        case response(Response)
        /// No gateway listens on any of the sockets.
        case notRunning
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
        for socket in candidates where socket.exists {
            let receiver = ContentReceiver()
            let session = engine.session(ConnectionOptions(unixSocket: socket.path))
            let outcome = await session.perform(request, receiver: receiver)
            // A socket that a killed process has left.
            if outcome.error?.code == .cannotConnect { continue }
            if outcome.error?.code == .timedOut { return .late }
            guard outcome.error == nil, let head = outcome.head else {
                return .failed(outcome.error?.message ?? "there is no response")
            }
            return .response(Response(status: head.status, document: try? JSONDocument.parse(receiver.bytes)))
        }
        return .notRunning
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

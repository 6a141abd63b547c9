import ErrandReferenceParsers
import ErrandSupport

/// A client that sends mutated requests, several per connection and in pieces, and reads the responses.
///
/// It blocks: run it on a ``BlockingThread``.
struct HostileClient {
    /// The results of the requests.
    struct Report: Sendable {
        /// The number of mutated requests sent.
        var requests = 0
        var connections = 0
        /// The number of responses with each status.
        var responses: [Int: Int] = [:]
        /// The tasks acknowledged with a 202.
        var tasks: [String] = []
        /// The number of connections that ended before all responses could be read, so that tasks may be unknown.
        var unread = 0
        /// Violations found.
        var failures: [String] = []

        mutating func add(_ other: Report) {
            requests += other.requests
            connections += other.connections
            responses.merge(other.responses) { $0 + $1 }
            tasks += other.tasks
            unread += other.unread
            failures += other.failures
        }
    }

    /// The maximum number of requests on one connection.
    static let maxBatch = 4

    private let port: UInt16
    private let isSecure: Bool
    private let seed: UInt64
    private var mutator: RequestMutator
    private var report = Report()

    init(port: UInt16, isSecure: Bool, seed: UInt64) {
        self.port = port
        self.isSecure = isSecure
        self.seed = seed
        mutator = RequestMutator(seed: seed)
    }

    /// Sends at least this number of requests, fewer after ten violations.
    mutating func send(_ count: Int) -> Report {
        while report.requests < count, report.failures.count < 10 {
            let batch = (0...mutator.number(below: Self.maxBatch)).map { _ in mutator.next() }
            report.requests += batch.count
            report.connections += 1
            do {
                try exchange(Array(batch.joined()))
            } catch {
                report.failures.append("seed \(seed), connection \(report.connections): \(error)")
            }
        }
        return report
    }

    private mutating func exchange(_ bytes: [UInt8]) throws {
        let connection = try BlockingConnection(port: port, isSecure: isSecure)
        // In pieces, so that the server receives partial lines and requests.
        var start = 0
        for _ in 0..<mutator.number(below: 3) {
            let end = start + mutator.number(below: bytes.count - start + 1)
            guard connection.send(bytes[start..<end]) else { break }
            start = end
        }
        _ = connection.send(bytes[start...])
        if mutator.number(below: 16) == 0 {
            connection.reset()
            report.unread += 1
            return
        }
        connection.finishSending()
        let (received, wasReset) = try connection.receiveAll()
        if wasReset { report.unread += 1 }
        // The server ends the list of a client that closes its sending side within it.
        let responses = try WireResponseReader.responses(in: received, mayBeCut: wasReset, streamsMayBeCut: true)
        for response in responses { note(response) }
        // No request smuggling: at most as many responses as a strict reader counts requests, plus one for trailing
        // bytes.
        let requests = ReferenceRequests(bytes)
        if responses.count > requests.complete + (requests.rest == .nothing ? 0 : 1) {
            let text = String(decoding: bytes.prefix(4000), as: UTF8.self).debugDescription
            report.failures.append("seed \(seed): \(responses.count) responses to \(requests): \(text)")
        }
    }

    private mutating func note(_ response: WireResponseReader.Response) {
        report.responses[response.status, default: 0] += 1
        if response.fields["x-request-id"] == nil {
            report.failures.append("seed \(seed): a response without X-Request-Id: \(response)")
        }
        guard response.status == 202 else { return }
        guard let id = response.fields["location"]?.split(separator: "/").last else {
            report.failures.append("seed \(seed): an acknowledgement without Location: \(response.fields)")
            return
        }
        report.tasks.append(String(id))
    }
}

import ErrandHTTPServer
import FoundationEssentials
import HTTPTypes

@testable import ErrandGatewaySupport

/// A client of an event stream according to the standard (WHATWG HTML §9.2.6), which reads one event at a time.
struct EventClient {
    /// An event as received.
    struct Event: Sendable {
        /// The data members that tests check.
        struct Data: Decodable, Sendable {
            struct Attempt: Decodable { var number: Int; var status: Int? }
            struct Direction: Decodable { var completed: Int64; var total: Int64? }
            struct Progress: Decodable { var upload: Direction; var download: Direction }
            struct Redirect: Decodable { var status: Int? }
            struct Challenge: Decodable { var schemes: [String] }
            var event: String
            var task: String?
            var session: String?
            var kind: String?
            var at: String
            var state: String?
            var revision: Int?
            var attempt: Attempt?
            var redirect: Redirect?
            var challenge: Challenge?
            var progress: Progress?
            var counts: [String: Int]?
            var reachability: String?
            var circuit: String?
            var reset: Bool?
            var cancelPending: Bool?
            var taskDocument: TaskDocument?
        }

        var name: String
        /// The id field of this event; `nil` without one.
        var id: Int64?
        var data: Data
    }

    private let stream: ResponseStream
    private var lines: [Substring] = []
    private var rest = ""
    /// The id that the client would send when it reconnects.
    private(set) var lastEventID: Int64?
    /// The reconnection time, in milliseconds.
    private(set) var retry: Int?
    /// True to skip progress events, whose number depends on the speed of the machine.
    var skipsProgress = true
    /// The number of comment lines so far.
    private(set) var comments = 0

    /// The response is not an event stream.
    struct NoStream: Error { var response: String }

    /// Starts to read a response.
    init(_ response: ServerResponse) throws {
        guard response.status == .ok, response.headers[.contentType] == "text/event-stream",
            case .stream(let stream) = response.body
        else { throw NoStream(response: "\(response.status) \(response.text)") }
        self.stream = stream
    }

    /// Returns the next event; `nil` when the stream has ended regularly.
    mutating func next() async throws -> Event? {
        while let event = try await nextOfAll() {
            if !skipsProgress || event.name != "task.progress" { return event }
        }
        return nil
    }

    private mutating func nextOfAll() async throws -> Event? {
        var fields: [Substring: String] = [:]
        while let line = try await line() {
            if line.isEmpty {
                guard let data = fields["data"] else { continue }
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return Event(
                    name: fields["event"] ?? "message", id: fields["id"].flatMap { Int64($0) },
                    data: try decoder.decode(Event.Data.self, from: Data(data.utf8)))
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "": comments += 1
            case "retry": retry = Int(value)
            case "id":
                lastEventID = Int64(value)
                fields["id"] = value
            case let name: fields[name] = (fields[name].map { "\($0)\n" } ?? "") + value
            }
        }
        return nil
    }

    /// Returns the names of the remaining events, up to the end of the stream.
    mutating func names() async throws -> [String] {
        var names: [String] = []
        while let event = try await next() { names.append(event.name) }
        return names
    }

    /// Returns the next piece of the stream as text; `nil` at the end.
    func piece() async throws -> String? {
        try await stream.next().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads the next piece, which must consist of comments only.
    mutating func silence() async throws {
        let piece = try await stream.next() ?? []
        let text = String(decoding: piece, as: UTF8.self)
        guard text == ":\n" else { throw NoStream(response: text) }
        comments += 1
    }

    private mutating func line() async throws -> Substring? {
        while lines.isEmpty {
            guard let piece = try await stream.next() else { return nil }
            let text = rest + String(decoding: piece, as: UTF8.self)
            lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            rest = lines.popLast().map(String.init) ?? ""
        }
        return lines.removeFirst()
    }
}

import Foundation
import Support

/// A client of a stream of events, on a connection of its own.
final class EventStreamClient: Sendable {
    /// An event as it came.
    struct Event: Sendable {
        /// Its type.
        var name = "message"
        /// Its number, when it has one.
        var id: Int64?
        /// Its data.
        var data = JSONValue.null
        /// The line of the data.
        var text = ""
    }

    /// The head of the answer.
    let head: String
    private let connection: RawHTTPClient

    /// Asks for a stream and reads the head of the answer.
    ///
    /// In HTTP/1.0, so that the content is the stream itself, without chunks, up to the end of the connection.
    init(_ gateway: GatewayProcess, _ path: String, _ fields: String...) async throws {
        connection = try RawHTTPClient(port: gateway.port)
        let lines = ["GET \(path) HTTP/1.0", "Host: 127.0.0.1:\(gateway.port)"] + fields
        try await connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        head = try await connection.text(until: "\r\n\r\n")
    }

    /// The status of the answer.
    var status: Int? { Int(head.dropFirst("HTTP/1.1 ".count).prefix(3)) }

    /// The next event, which has to come within the time that a read may take.
    func next() async throws -> Event {
        var event = Event()
        for line in try await connection.text(until: "\n\n").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "event": event.name = value
            case "id": event.id = Int64(value)
            case "data":
                event.text = value
                event.data = try JSONDecoder().decode(JSONValue.self, from: Data(value.utf8))
            default: break
            }
        }
        return event
    }

    /// The events up to one with a name.
    func through(_ name: String) async throws -> [Event] {
        var events: [Event] = []
        while events.last?.name != name { events.append(try await next()) }
        return events
    }

    /// What comes up to the end of the connection, in which there is no further event.
    func end() async throws -> String {
        String(decoding: try await connection.untilClosed(), as: UTF8.self)
    }
}

import ErrandSupport
import Foundation

/// A client of an event stream, on a connection of its own.
final class EventStreamClient: Sendable {
    /// An event as received.
    struct Event: Sendable {
        /// The type of the event.
        var name = "message"
        /// The id of the event, if any.
        var id: Int64?
        /// The data of the event.
        var data = JSONValue.null
        /// The data as text.
        var text = ""
    }

    /// The head of the response.
    let head: String
    private let connection: RawHTTPClient

    /// Requests a stream and reads the head of the response.
    ///
    /// Uses HTTP/1.0, so that the content is the stream itself, without chunks, up to the end of the connection.
    init(_ gateway: GatewayProcess, _ path: String, _ fields: String...) async throws {
        connection = try RawHTTPClient(port: gateway.port)
        let lines = ["GET \(path) HTTP/1.0", "Host: 127.0.0.1:\(gateway.port)"] + fields
        try await connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        head = try await connection.text(until: "\r\n\r\n")
    }

    /// The status of the response.
    var status: Int? { Int(head.dropFirst("HTTP/1.1 ".count).prefix(3)) }

    /// Returns the next event, which has to arrive within the read timeout.
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

    /// Returns the events up to one with a name.
    func through(_ name: String) async throws -> [Event] {
        var events: [Event] = []
        while events.last?.name != name { events.append(try await next()) }
        return events
    }

    /// Returns the rest up to the end of the connection, which contains no event.
    func end() async throws -> String {
        String(decoding: try await connection.untilClosed(), as: UTF8.self)
    }
}

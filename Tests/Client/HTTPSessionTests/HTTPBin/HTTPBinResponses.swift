import ErrandSupport
import HTTPSession

extension HTTPBin {
    /// Creates a session for the server.
    static func session(_ configure: (inout SessionConfiguration) -> Void = { _ in }) async throws -> Session {
        try Session.patient(await shared().origin, configure: configure)
    }
}

/// A request as understood by the server: the response of `/anything`, `/get`, `/post` and similar paths.
struct EchoedRequest: Decodable {
    /// The method; only `/anything` states it.
    var method: String?
    var url: String
    /// The items of the query.
    var args: [String: EchoedValues]
    var headers: [String: String]
    /// The content, if it is neither a form nor in parts.
    var data: String?
    /// The fields of a form.
    var form: [String: EchoedValues]?
    /// The contents of files, by the names of their parts.
    var files: [String: EchoedValues]?
}

/// The values of one name: a string, or an array for several.
struct EchoedValues: Decodable, Equatable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    private let values: [String]

    init(stringLiteral value: String) { values = [value] }

    init(arrayLiteral values: String...) { self.values = values }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            values = [try container.decode(String.self)]
        } catch DecodingError.typeMismatch {
            values = try container.decode([String].self)
        }
    }
}

/// The response of `/cookies`: the cookies of the request.
struct EchoedCookies: Decodable {
    var cookies: [String: String]
}

/// The response of the authenticated paths.
struct Welcome: Decodable, Equatable {
    var authenticated: Bool
    var user: String?
    var token: String?
}

extension SessionResponse {
    /// The content, received in memory.
    var bytes: [UInt8] {
        guard case .bytes(let bytes)? = body?.content else { return [] }
        return bytes
    }

    /// The content as text in UTF-8.
    var utf8Text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Session {
    /// Runs one attempt at a request; the outcome may have both an error and a response.
    func outcome(of request: TaskRequest) async throws -> SessionOutcome {
        await run(try prepare(request), sink: MemorySink())
    }

    /// Sends a request, and returns it as understood by the server.
    func echo(of request: TaskRequest) async throws -> EchoedRequest {
        try await data(for: request).decoded()
    }
}

/// Returns JSON as the parameters of a task.
func json(_ text: String) -> [UInt8] { Array(text.utf8) }

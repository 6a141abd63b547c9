import HTTPSession
import Support

extension HTTPBin {
    /// A session of its own with the server.
    static func session(_ configure: (inout SessionConfiguration) -> Void = { _ in }) async throws -> Session {
        try Session(baseURL: await shared().origin, configure: configure)
    }
}

/// A request as the server has understood it: what `/anything`, `/get`, `/post` and the like answer.
struct EchoedRequest: Decodable {
    /// The method; only `/anything` tells it.
    var method: String?
    var url: String
    /// The items of the query.
    var args: [String: EchoedValues]
    var headers: [String: String]
    /// The content, where it is neither a form nor in parts.
    var data: String?
    /// The fields of a form.
    var form: [String: EchoedValues]?
    /// The contents of files, by the names of their parts.
    var files: [String: EchoedValues]?
}

/// The values of one name: a string, or an array where there are several.
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

/// What `/cookies` answers: those that came with the request.
struct EchoedCookies: Decodable {
    var cookies: [String: String]
}

/// What the paths behind a login answer to those who know the password.
struct Welcome: Decodable, Equatable {
    var authenticated: Bool
    var user: String?
    var token: String?
}

extension SessionResponse {
    /// The content, which was received in memory.
    var bytes: [UInt8] {
        guard case .bytes(let bytes)? = body?.content else { return [] }
        return bytes
    }

    /// The content as text in UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Session {
    /// Makes one attempt at a request; the outcome holds a response also beside an error.
    func outcome(of request: TaskRequest) async throws -> SessionOutcome {
        await run(try prepare(request), sink: MemorySink())
    }

    /// Makes a request, and shows it as the server has understood it.
    func echo(of request: TaskRequest) async throws -> EchoedRequest {
        try await data(for: request).decoded()
    }
}

/// JSON as the parameters of a task have it.
func json(_ text: String) -> [UInt8] { Array(text.utf8) }

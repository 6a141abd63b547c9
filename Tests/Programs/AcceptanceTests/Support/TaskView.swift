import ErrandSupport
import Foundation

/// The members of a task that the tests check.
struct TaskView: Decodable, Sendable {
    var id: String
    var session: String
    var state: String
    var done: Bool
    var revision: Int
    var hold: String?
    var kind: String
    var priority: Int
    var request: Request
    var progress: Progress
    var content: Content?
    var attempts: [Attempt]
    var response: Response?
    var error: Failure?
    var resume: Resume?
    var labels: [String: String]
    var links: [String: String]
    var notBefore: String?
    var nextAttemptAt: String?
    var deadline: String?
    var retryOf: String?
    var parent: String?
    var schedule: String?

    struct Progress: Decodable, Sendable {
        var upload: Direction
        var download: Direction
        struct Direction: Decodable, Sendable {
            var completed: Int
            var total: Int?
            var bytesPerSecond: Int?
            var timeLeft: String?
        }
    }

    /// The content that a client has sent separately.
    struct Content: Decodable, Sendable {
        var size: Int?
        var sha256: String?
        var awaitedUntil: String?
        var complete: Bool?
    }

    /// The part of a download that its next attempt does not request again.
    struct Resume: Decodable, Sendable, Hashable {
        var available: Bool
        var bytes: Int
    }

    struct Request: Decodable, Sendable {
        var method: String
        var url: String
    }

    struct Attempt: Decodable, Sendable {
        var number: Int
        var status: Int?
        var error: Failure?
    }

    struct Response: Decodable, Sendable {
        var status: Int
        var url: String
        var redirects: Int
        var serializer: String
        var object: JSONValue?
        var objectOmitted: Bool?
        var body: Body?
        var file: File?
    }

    struct File: Decodable, Sendable, Hashable {
        var path: String
        var size: Int
    }

    struct Body: Decodable, Sendable {
        var size: Int
        var sha256: String
        var href: String
    }

    struct Failure: Decodable, Sendable {
        var domain: String
        var code: String
        var message: String
        var mayHaveArrived: Bool?
        var notRetried: String?
        var underlying: Underlying?
    }

    /// The underlying error of an error.
    struct Underlying: Decodable, Sendable {
        var code: String
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    /// Decodes the task in a response.
    init(_ response: RawHTTPClient.Response, expecting statuses: Set<Int> = [200]) throws {
        guard statuses.contains(response.status) else { throw UnexpectedResponse(response: response) }
        self = try Self.decoder.decode(TaskView.self, from: Data(response.body))
    }
}

/// A page of the list, with the members of each task that `Task` has.
struct ListPage<Task: Decodable>: Decodable {
    var tasks: [Task]
    var nextPageToken: String?
}

extension ListPage: Sendable where Task: Sendable {}

/// Problem details (RFC 9457) as received by a client.
struct ProblemView: Decodable, Sendable {
    var type: String
    var title: String
    var status: Int
    var detail: String?
    var instance: String?
    var requestId: String
    var line: Int?
    var column: Int?
    var errors: [Fault]?

    struct Fault: Decodable, Sendable {
        var pointer: String
        var detail: String
    }

    /// Decodes the problem in a response.
    init(_ response: RawHTTPClient.Response) throws {
        guard response["Content-Type"] == "application/problem+json" else {
            throw UnexpectedResponse(response: response)
        }
        self = try TaskView.decoder.decode(ProblemView.self, from: Data(response.body))
        guard status == response.status else { throw UnexpectedResponse(response: response) }
    }
}

public import HTTPTypes
import JSON

/// What went wrong, for a program and its programmer (RFC 9457, `application/problem+json`).
public struct ProblemDetails: Error, Sendable, Hashable {
    /// The kind of problem.
    public var type: ProblemType
    /// The status, the type's own unless given.
    public var status: HTTPResponse.Status
    /// What is wrong with this request.
    ///
    /// Never says anything about the inside of the server.
    public var detail: String?
    /// What the problem is about, a path of this server.
    public var instance: String?
    /// The id of the request, to be found again in the logs.
    public var requestID: String?
    /// For invalid input: all its faults at once.
    public var errors: [InputFault]
    /// Members of this type alone, in the order in which they are written.
    public var members: [Member]

    /// One fault of an input document.
    public struct InputFault: Sendable, Hashable {
        /// The place, as a JSON pointer (RFC 6901): `/retry/max_attempts`.
        public var pointer: String
        /// What is wrong there.
        public var detail: String

        /// Creates a fault.
        public init(pointer: String, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }

    /// A member that a problem type adds (RFC 9457 §3.2).
    public struct Member: Sendable, Hashable {
        /// The value of a member.
        public enum Value: Sendable, Hashable {
            /// A JSON string.
            case string(String)
            /// A JSON number.
            case integer(Int)
        }

        /// The name.
        public var name: String
        /// The value.
        public var value: Value

        /// Creates a member.
        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a problem.
    public init(
        _ type: ProblemType, status: HTTPResponse.Status? = nil, detail: String? = nil, instance: String? = nil,
        requestID: String? = nil, errors: [InputFault] = [], members: [Member] = []
    ) {
        self.type = type
        self.status = status ?? type.status
        self.detail = detail
        self.instance = instance
        self.requestID = requestID
        self.errors = errors
        self.members = members
    }

    /// The problem as a JSON document.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type")
        writer.string(type.path)
        writer.member("title")
        writer.string(type.title)
        writer.member("status")
        writer.int(status.code)
        write("detail", detail, to: &writer)
        write("instance", instance, to: &writer)
        write("request_id", requestID, to: &writer)
        for member in members {
            writer.member(member.name)
            switch member.value {
            case .string(let text): writer.string(text)
            case .integer(let number): writer.int(number)
            }
        }
        if !errors.isEmpty {
            writer.member("errors")
            writer.beginArray()
            for fault in errors {
                writer.beginObject()
                writer.member("pointer")
                writer.string(fault.pointer)
                writer.member("detail")
                writer.string(fault.detail)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return writer.bytes
    }

    /// The problem as an answer: its status, `application/problem+json`, and the given fields besides.
    public func response(headers: HTTPFields = [:]) -> ServerResponse {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return ServerResponse(status: status, headers: headers, body: .bytes(json))
    }

    private func write(_ name: StaticString, _ text: String?, to writer: inout JSONWriter) {
        guard let text else { return }
        writer.member(name)
        writer.string(text)
    }
}

import ErrandJSON
public import HTTPTypes

/// A problem in a form that programs can read (RFC 9457, `application/problem+json`).
public struct ProblemDetails: Error, Sendable, Hashable {
    /// The kind of problem.
    public var type: ProblemType
    /// The status; that of the type by default.
    public var status: HTTPResponse.Status
    /// The explanation of the fault in this request.
    ///
    /// It never reveals internals of the server.
    public var detail: String?
    /// The path on this server that the problem concerns.
    public var instance: String?
    /// The id of the request, for a search in the logs.
    public var requestID: String?
    /// All faults of invalid input.
    public var errors: [InputFault]
    /// The members that this problem type adds, in the order in which they are written.
    public var members: [Member]

    /// One fault of an input document.
    public struct InputFault: Sendable, Hashable {
        /// The location, as a JSON pointer (RFC 6901): `/retry/max_attempts`.
        public var pointer: String
        /// The explanation of the fault.
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
        writer.member("type", type.path)
        writer.member("title", type.title)
        writer.member("status", status.code)
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
                writer.member("pointer", fault.pointer)
                writer.member("detail", fault.detail)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return writer.bytes
    }

    /// Returns the problem as a response with its status, `application/problem+json`, and the given additional fields.
    public func response(headers: HTTPFields = [:]) -> ServerResponse {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return ServerResponse(status: status, headers: headers, body: .bytes(json))
    }

    private func write(_ name: StaticString, _ text: String?, to writer: inout JSONWriter) {
        guard let text else { return }
        writer.member(name, text)
    }
}

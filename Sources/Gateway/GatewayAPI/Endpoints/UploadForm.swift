import ErrandHTTPGrammar
import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

/// A form (`multipart/form-data`) with a task and its content, read as it arrives: first the part `task`, then the part
/// `content`, and no others.
struct UploadForm {
    private var pieces: RequestBodyStream.AsyncIterator
    private var parser: MultipartParser
    /// The events that the last piece has made, from the first one that is not yet returned.
    private var events: ArraySlice<MultipartParser.Event> = []

    private static let taskPart = "task"
    private static let contentPart = "content"
    private static let mediaType = "multipart/form-data"

    /// The part `content` begins; its own Content-Type is `nil` without one.
    struct Content: Sendable {
        var type: String?
    }

    /// Returns true if the content of a request is declared as a form.
    static func isDeclared(by head: RequestHead) -> Bool {
        let types = head.headers[values: .contentType]
        return types.count == 1 && types.first.flatMap { MediaType($0) }?.description == mediaType
    }

    /// Creates a parser for the form of a request.
    ///
    /// - Throws: The fault of its Content-Type.
    static func parser(for head: RequestHead) throws(RequestRefusal) -> MultipartParser {
        let type = head.headers[.contentType].flatMap { MediaType($0) }
        let boundaries = type?.parameters.filter { $0.name == "boundary" } ?? []
        guard boundaries.count == 1, let parser = MultipartParser(boundary: boundaries[0].value) else {
            throw .field(
                .contentType,
                """
                expected one boundary of 1 to 70 characters (RFC 2046 section 5.1.1), found \
                \(boundaries.isEmpty ? "none" : "\"\(boundaries[0].value.shortened(toBytes: 80))\""); \
                let the HTTP client set this field, as curl -F does
                """)
        }
        return parser
    }

    init(_ content: RequestBodyStream, _ parser: MultipartParser) {
        pieces = content.makeAsyncIterator()
        self.parser = parser
    }

    // MARK: The task

    /// Reads the part `task`.
    ///
    /// - Parameter limit: The most bytes that it may have.
    mutating func readTask(maxBytes limit: Int) async throws(UploadFormError) -> [UInt8] {
        guard let head = try await nextPart() else {
            throw .malformed(#"the form has no parts; expected the parts "task" and "content""#)
        }
        guard head.name == Self.taskPart else { throw Self.misplaced(head, expecting: Self.taskPart) }
        guard Self.isJSON(head.contentType) else {
            throw .notJSON(
                """
                the part "task" must be declared as Content-Type: application/json; found \
                \(head.contentType?.shortened(toBytes: 100) ?? "none"); \
                with curl, write -F 'task=<FILE;type=application/json'
                """)
        }
        var task: [UInt8] = []
        while let bytes = try await nextContent() {
            guard bytes.count <= limit - task.count else {
                throw .taskTooLarge("expected a part \"task\" of at most \(limit) bytes (server.max_json)")
            }
            task += bytes
        }
        return task
    }

    // MARK: The content

    /// Reads to the beginning of the part `content`.
    mutating func beginContent() async throws(UploadFormError) -> Content {
        guard let head = try await nextPart() else {
            throw .malformed(
                """
                the form has no part "content"; add it after the part "task", or create the task with \
                Content-Type: application/json and {"body": {"content": "later"}}
                """)
        }
        guard head.name == Self.contentPart else { throw Self.misplaced(head, expecting: Self.contentPart) }
        if let type = head.contentType, MediaType(type) == nil {
            throw .malformed(
                """
                the part "content" has a Content-Type that is not a media type: \
                "\(type.shortened(toBytes: 100))"; expected TYPE/SUBTYPE, or no Content-Type
                """)
        }
        return Content(type: head.contentType)
    }

    /// Returns the next bytes of the part `content`; `nil` when the form has ended after it, as it must.
    mutating func readContent() async throws(UploadFormError) -> [UInt8]? {
        if let bytes = try await nextContent() { return Array(bytes) }
        if let head = try await nextPart() { throw Self.misplaced(head, expecting: nil) }
        return nil
    }

    // MARK: Events

    /// Returns the head of the next part; `nil` at the end of the form.
    private mutating func nextPart() async throws(UploadFormError) -> MultipartPartHead? {
        guard case .begin(let head)? = try await nextEvent() else { return nil }
        return head
    }

    /// Returns the next bytes of the part; `nil` at its end.
    private mutating func nextContent() async throws(UploadFormError) -> ArraySlice<UInt8>? {
        guard case .content(let bytes)? = try await nextEvent() else { return nil }
        return bytes
    }

    private mutating func nextEvent() async throws(UploadFormError) -> MultipartParser.Event? {
        while events.isEmpty {
            let piece: [UInt8]?
            do throws(RequestBodyError) {
                piece = try await pieces.next()
            } catch {
                throw .incomplete(error)
            }
            do throws(MultipartFault) {
                guard let piece else {
                    try parser.finish()
                    return nil
                }
                events = try parser.parse(piece)[...]
            } catch {
                throw .malformed(error.description)
            }
        }
        return events.removeFirst()
    }

    // MARK: Faults

    /// Returns the fault of a part that is not the expected one.
    ///
    /// - Parameter expected: The name of the expected part; `nil` if there should be no other.
    private static func misplaced(_ head: MultipartPartHead, expecting expected: String?) -> UploadFormError {
        let found = MultipartPartHead.quoted(head.name)
        switch (head.name, expected) {
        case (contentPart, taskPart):
            return .malformed(#"the part "content" comes before the part "task"; send "task" first"#)
        case (taskPart, contentPart), (taskPart, nil), (contentPart, nil):
            return .malformed("the form has a second part \(found); send one of each")
        default:
            return .malformed(#"unknown part \#(found); expected only the parts "task" and "content", in this order"#)
        }
    }

    private static func isJSON(_ type: String?) -> Bool {
        type.flatMap { MediaType($0) }?.description == "application/json"
    }
}

/// The reason for which a form is not read to its end.
enum UploadFormError: Error, Sendable, Hashable {
    /// The client did not send all of it.
    case incomplete(RequestBodyError)
    /// It is not a form with the two parts.
    case malformed(String)
    /// The task is not declared as JSON.
    case notJSON(String)
    /// The task is longer than its limit.
    case taskTooLarge(String)
}

/// The part `content` of a form, as it arrives.
struct UploadFormContent: AsyncSequence {
    /// The form, after the beginning of the part.
    let form: UploadForm

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(form: form) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var form: UploadForm

        mutating func next() async throws -> [UInt8]? { try await form.readContent() }
    }
}

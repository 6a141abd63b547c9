import ErrandJSON

/// The document of a task whose content arrives in the same request.
///
/// It is completed to one of a task that takes its content later, which is what is stored: an upload, with the media
/// type of the content unless the document names one.
struct UploadDocument: Sendable {
    /// The completed document.
    let bytes: [UInt8]
    /// The faults of the members that are replaced in the completed document.
    let problems: [JSONProblem]

    private static let body = Array(#"{"content":"later"}"#.utf8)
    private static let kind = Array(#""upload""#.utf8)
    /// The media type of bytes of which nothing is known, and the default of every upload.
    private static let unknownType = "application/octet-stream"

    /// Completes a document.
    ///
    /// - Parameters:
    ///   - bytes: The document of the client.
    ///   - type: The media type that the client has declared for the content; `nil` for none.
    ///   - maxDepth: The maximum nesting depth of documents.
    /// - Throws: An error if it is not JSON.
    init(_ bytes: [UInt8], contentType type: String?, maxDepth: Int) throws(TaskRejection) {
        let document = try JSONDocument.received(task: bytes, maxDepth: maxDepth)
        // Anything else is refused when it is decoded.
        guard let task = document.root.object else {
            self.bytes = bytes
            problems = []
            return
        }
        problems = Self.problems(of: task)
        var changes: [(name: String, value: [UInt8]?)] = [("kind", Self.kind), ("body", Self.body)]
        if let type, let headers = Self.headers(of: task, in: document, adding: type) {
            changes.append(("headers", headers))
        }
        self.bytes = document.replacing(changes, in: task)
    }

    private static func problems(of task: JSONObject) -> [JSONProblem] {
        var problems: [JSONProblem] = []
        if let kind = task["kind"], !kind.isNull, kind.string != "upload" {
            problems.append(
                JSONProblem(
                    JSONPointer(["kind"]),
                    #"a task with the part content is an upload; write "upload" or remove this member"#))
        }
        if let body = task["body"], !body.isNull, !isLater(body) {
            problems.append(
                JSONProblem(
                    JSONPointer(["body"]), "the part content is the content of the request; remove this member"))
        }
        return problems
    }

    private static func isLater(_ body: JSONValue) -> Bool {
        guard let members = body.object?.members, members.count == 1 else { return false }
        return members[0].key == "content" && members[0].value.string == "later"
    }

    /// Returns the header fields of a task with the media type of its content; `nil` if they stay as they are.
    private static func headers(
        of task: JSONObject, in document: JSONDocument, adding type: String
    ) -> [UInt8]? {
        guard type.lowercased() != unknownType else { return nil }
        var writer = JSONWriter()
        guard let headers = task["headers"], !headers.isNull else {
            writer.beginObject()
            writer.member("Content-Type", type)
            writer.endObject()
            return writer.bytes
        }
        guard let fields = headers.object,
            !fields.members.contains(where: { $0.key.lowercased() == "content-type" })
        else { return nil }
        writer.string(type)
        return document.replacing([("Content-Type", writer.bytes)], in: fields)
    }
}

extension TaskDecoder {
    /// Decodes a task whose content arrives in the same request.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - type: The media type that the client has declared for the content; `nil` for none.
    ///   - key: The client's key for the task.
    /// - Throws: All errors of the document.
    package func decodeUpload(
        _ bytes: [UInt8], contentType type: String?, key: IdempotencyKey? = nil
    ) async throws(TaskRejection) -> AcceptedTask {
        let upload = try UploadDocument(bytes, contentType: type, maxDepth: maxDepth)
        let task: AcceptedTask
        do {
            task = try await decode(upload.bytes, as: .single, key: key)
        } catch {
            guard case .invalid(let others) = error else { throw error }
            throw .invalid(Array((upload.problems + others).prefix(Self.maxFaults)))
        }
        guard upload.problems.isEmpty else { throw .invalid(upload.problems) }
        return task
    }
}

import JSON

/// The document of a batch: `{"tasks": […]}`.
enum BatchDocument {
    /// The members beside `tasks` that are told of.
    private static let maxMembers = 100

    /// The bytes of the tasks, in their order.
    ///
    /// Only the outline is read: the tasks are checked to be JSON, and become trees one at a time.
    ///
    /// - Parameters:
    ///   - maxItems: The most tasks.
    ///   - maxDepth: How deep each may nest.
    /// - Throws: What is wrong with the document itself.
    static func items(of bytes: [UInt8], maxItems: Int, maxDepth: Int) throws(TaskRejection) -> [Range<Int>] {
        let place = JSONPointer(["tasks"])
        let limits = JSONLimits(maxDepth: maxDepth + 2)
        let document = try outline { () throws(JSONSyntaxError) in
            try JSONOutline.of(bytes, limits: limits, maxParts: maxMembers)
        }
        guard let document, document.isObject else {
            throw fault(JSONPointer(), "expected an object with the member tasks")
        }
        guard let tasks = try member(of: document, in: bytes) else { throw fault(place, "a batch needs its tasks") }
        let list = try outline { () throws(JSONSyntaxError) in
            try JSONOutline.of(tasks, in: bytes, maxParts: maxItems)
        }
        guard let list, !list.isObject else { throw fault(place, "expected an array of tasks") }
        guard list.count > 0 else { throw fault(place, "a batch has at least one task") }
        guard list.count <= maxItems else {
            throw fault(place, "a batch has at most \(maxItems) tasks (server.max_batch), found \(list.count)")
        }
        return list.parts.map(\.value)
    }

    private static func outline(
        _ read: () throws(JSONSyntaxError) -> JSONOutline?
    ) throws(TaskRejection) -> JSONOutline? {
        do {
            return try read()
        } catch {
            throw .malformed(error)
        }
    }

    /// The value of `tasks`; `nil` when there is none.
    private static func member(
        of document: JSONOutline, in bytes: [UInt8]
    ) throws(TaskRejection) -> Range<Int>? {
        let problems = JSONProblems()
        // Their values are not looked at.
        let members = document.parts.map { part in
            JSONMember(name(part, in: bytes), JSONValue(.null, range: part.value))
        }
        var reader = JSONObjectReader(JSONObject(members), reporting: problems)
        let tasks = reader.value("tasks")
        reader.finish()
        guard problems.problems.isEmpty else { throw .invalid(problems.problems) }
        return tasks?.range
    }

    private static func name(_ part: JSONOutline.Part, in bytes: [UInt8]) -> String {
        guard let range = part.name else { return "" }
        do {
            return try JSONDocument.parse(Array(bytes[range])).root.string ?? ""
        } catch {
            // Half of a surrogate pair: a name that nothing has.
            return String(decoding: bytes[range], as: UTF8.self)
        }
    }

    private static func fault(_ pointer: JSONPointer, _ detail: String) -> TaskRejection {
        .invalid([JSONProblem(pointer, detail)])
    }
}

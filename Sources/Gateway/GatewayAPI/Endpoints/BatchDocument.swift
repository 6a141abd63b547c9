import ErrandJSON
import ErrandTaskEngine

/// The document of a batch: `{"tasks": […]}`.
enum BatchDocument {
    /// The maximum number of unexpected members besides `tasks` that are reported.
    private static let maxMembers = 100

    /// Returns the byte ranges of the tasks, in order.
    ///
    /// Only scans the outline: tasks are checked to be JSON, and parsed one at a time later.
    ///
    /// - Parameters:
    ///   - maxItems: The maximum number of tasks.
    ///   - maxDepth: The maximum nesting depth of each task.
    /// - Throws: A fault of the document itself.
    static func items(of bytes: [UInt8], maxItems: Int, maxDepth: Int) throws(TaskRejection) -> [Range<Int>] {
        let place = JSONPointer(["tasks"])
        let limits = JSONLimits(maxDepth: maxDepth + 2)
        let document = try outline(maxDepth) { () throws(JSONSyntaxError) in
            try JSONOutline.of(bytes, limits: limits, maxParts: maxMembers)
        }
        guard let document, document.isObject else {
            throw fault(JSONPointer(), "expected an object with the member tasks")
        }
        guard let tasks = try member(of: document, in: bytes) else { throw fault(place, "required member") }
        let list = try outline(maxDepth) { () throws(JSONSyntaxError) in
            try JSONOutline.of(tasks, in: bytes, maxParts: maxItems)
        }
        guard let list, !list.isObject else { throw fault(place, "expected an array of tasks") }
        guard list.count > 0 else { throw fault(place, "expected at least one task") }
        guard list.count <= maxItems else {
            throw fault(place, "expected at most \(maxItems) tasks (server.max_batch), found \(list.count)")
        }
        return list.parts.map(\.value)
    }

    private static func outline(
        _ maxDepth: Int, _ read: () throws(JSONSyntaxError) -> JSONOutline?
    ) throws(TaskRejection) -> JSONOutline? {
        do {
            return try read()
        } catch {
            throw TaskRejection(error, maxDepth: maxDepth)
        }
    }

    /// Returns the value of `tasks`, or `nil` when it is missing.
    private static func member(
        of document: JSONOutline, in bytes: [UInt8]
    ) throws(TaskRejection) -> Range<Int>? {
        let problems = JSONProblems()
        // Only the names are needed here, not the values.
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
            // An unpaired surrogate, which no known name contains.
            return String(decoding: bytes[range], as: UTF8.self)
        }
    }

    private static func fault(_ pointer: JSONPointer, _ detail: String) -> TaskRejection {
        .invalid([JSONProblem(pointer, detail)])
    }
}

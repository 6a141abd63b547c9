import ErrandJSON
import ErrandSessionCore
import FoundationEssentials

/// Reads the `body` member of a task: content in exactly one form.
struct TaskBodyReader {
    let document: JSONDocument
    /// True if the client may send the content after the task.
    let takesContentLater: Bool

    private static let refused = [
        "content": #"only an upload takes its content later; write {"kind": "upload"}"#
    ]

    /// The ways in which a client sends the content separately.
    private enum SeparateContent: String, CaseIterable {
        case later
        case stream
    }

    func read(_ task: inout JSONObjectReader, _ problems: JSONProblems) -> TaskBody? {
        let content = task.value("body")
        if let fault = content.flatMap(Self.fault) {
            task.report("body", fault)
            return nil
        }
        let isMisspelt = content?.object.map(Self.isMisspelt) ?? false
        guard var body = task.object("body") else { return nil }
        let text = body.string("text").map(TaskBody.text)
        let bytes = Self.base64(&body).map(TaskBody.bytes)
        let json = body.value("json").map { TaskBody.json(Array(document.slice(of: $0))) }
        let file = body.string("file").map(TaskBody.file)
        let parts = parts(&body, problems).map(TaskBody.parts)
        guard takesContentLater else {
            if !body.has("content"), !isMisspelt { Self.checkForms(Self.forms, of: &body, problems) }
            body.finish(refusing: Self.refused)
            return text ?? bytes ?? json ?? file ?? parts
        }
        let later = body.choice("content", SeparateContent.self)
        if !isMisspelt { Self.checkForms(Self.forms + ["content"], of: &body, problems) }
        body.finish()
        return text ?? bytes ?? json ?? file ?? parts
            ?? later.map { TaskBody.source(AwaitedContent(isPassedOn: $0 == .stream)) }
    }

    // MARK: Parts

    private func parts(_ body: inout JSONObjectReader, _ problems: JSONProblems) -> [TaskPart]? {
        guard let value = body.value("parts"), !value.isNull else { return nil }
        guard case .array(let items) = value.kind else {
            body.report("parts", "expected an array, found \(value.kindDescription)")
            return nil
        }
        let place = body.pointer.appending("parts")
        // One part for each item, including unreadable ones: the session reports errors by the index of a part.
        return items.enumerated().map { index, item in
            guard let object = JSONObjectReader(item, at: place.appending("\(index)"), reporting: problems) else {
                return TaskPart("", .text(""))
            }
            return part(of: object, problems)
        }
    }

    private func part(of object: JSONObjectReader, _ problems: JSONProblems) -> TaskPart {
        var object = object
        let name = object.string("name")
        if !object.has("name") { object.report("name", "a part requires a name") }
        let filename = object.string("filename")
        let contentType = object.string("content_type")
        let headers = TaskRequestReader.headers(&object)
        let text = object.string("text").map(TaskPart.Content.text)
        let bytes = Self.base64(&object).map(TaskPart.Content.bytes)
        let file = object.string("file").map(TaskPart.Content.file)
        Self.checkForms(["text", "base64", "file"], of: &object, problems)
        object.finish()
        return TaskPart(
            name ?? "", text ?? bytes ?? file ?? .text(""), filename: filename, contentType: contentType,
            headers: headers)
    }

    // MARK: Forms

    /// Returns the remedy for content that stands in place of a form: text, or JSON of the client's own.
    private static func fault(of content: JSONValue) -> String? {
        switch content.kind {
        case .null: return nil
        case .string:
            return #"expected an object, found a string; write {"text": …} for text and {"json": …} for JSON"#
        case .object(let object):
            guard hasNoForm(object), !object.members.isEmpty, !isMisspelt(object) else { return nil }
            return """
                expected exactly one of \(forms.joined(separator: ", ")); to send this object, write {"json": …}
                """
        default:
            return "expected an object, found \(content.kindDescription); write {\"json\": …} for JSON"
        }
    }

    private static func hasNoForm(_ body: JSONObject) -> Bool {
        !body.members.contains { forms.contains($0.key) || $0.key == "content" }
    }

    /// Returns true if the only member of a body is nearly a form: that it is unknown says all.
    private static func isMisspelt(_ body: JSONObject) -> Bool {
        hasNoForm(body) && body.members.count == 1 && closestMatch(to: body.members[0].key, among: forms) != nil
    }

    private static let forms = ["text", "base64", "json", "file", "parts"]

    private static func base64(_ object: inout JSONObjectReader) -> [UInt8]? {
        object.parsed("base64", expecting: "base64 (RFC 4648 §4)") { value in
            value.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        }
    }

    private static func checkForms(_ names: [String], of object: inout JSONObjectReader, _ problems: JSONProblems) {
        let forms = names.filter { name in
            guard let value = object.value(name) else { return false }
            // In the `json` form, `null` is content.
            return !value.isNull || name == "json"
        }
        if forms.count > 1 {
            problems.report(object.pointer, "expected exactly one form, found \(forms.joined(separator: ", "))")
        } else if forms.isEmpty {
            problems.report(object.pointer, "expected exactly one of \(names.joined(separator: ", "))")
        }
    }
}

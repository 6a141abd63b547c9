import Configuration
import FoundationEssentials
import HTTPTypes
import JSON
import SessionCore

/// Reads the part of a task document that a session turns into a request.
struct TaskRequestReader {
    let document: JSONDocument

    func read(_ task: inout JSONObjectReader, _ problems: JSONProblems) -> TaskRequest {
        var request = TaskRequest()
        request.method = task.string("method")
        request.path = task.string("path") ?? ""
        request.parameters = task.value("parameters").flatMap { $0.isNull ? nil : Array(document.slice(of: $0)) }
        request.headers = headers(&task)
        request.body = body(&task)
        request.requestSerializer = task.choice(
            "request_serializer", RequestSerializerKind.self,
            refusing: Self.laterRequestSerializers)
        request.responseSerializer = task.choice(
            "response_serializer", ResponseSerializerKind.self,
            refusing: Self.laterResponseSerializers)
        request.timeouts = timeouts(&task)
        return request
    }

    private static let laterRequestSerializers = refused(["form", "plist", "multipart"], "request serializer")
    private static let laterResponseSerializers = refused(
        ["xml", "plist", "text", "image", "auto"], "response serializer")

    private static func refused(_ names: [String], _ what: String) -> [String: String] {
        Dictionary(names.map { ($0, "the \(what) \"\($0)\" is not available in this version") }) { first, _ in first }
    }

    // MARK: Headers

    /// Repeated names are left to the session, which compares them as HTTP does.
    private func headers(_ task: inout JSONObjectReader) -> [TaskHeader] {
        guard var object = task.object("headers") else { return [] }
        return object.rest().compactMap { member in
            switch member.value.kind {
            case .string(let value):
                return TaskHeader(member.key, value)
            case .null:
                return TaskHeader(member.key, nil)
            default:
                object.report(member.key, "expected a string or null, found \(member.value.kindDescription)")
                return nil
            }
        }
    }

    // MARK: Body

    private static let laterBodies = [
        "file": "bodies from files are not available in this version",
        "parts": "multipart bodies are not available in this version",
        "content": "content that follows later is not available in this version",
    ]

    private func body(_ task: inout JSONObjectReader) -> TaskBody? {
        guard var object = task.object("body") else { return nil }
        let forms = ["text", "base64", "json"].filter { object.has($0) }
        let isLater = Self.laterBodies.keys.contains { object.has($0) }
        let text = object.string("text").map(TaskBody.text)
        let bytes = object.parsed("base64", expecting: "base64 (RFC 4648 §4)") { value in
            value.string.flatMap { Data(base64Encoded: $0) }.map { TaskBody.bytes(Array($0)) }
        }
        let json = object.value("json").map { TaskBody.json(Array(document.slice(of: $0))) }
        object.finish(
            refusing: Self.laterBodies)
        if forms.count > 1 {
            task.report("body", "a body has exactly one form, found \(forms.joined(separator: ", "))")
        } else if forms.isEmpty, !isLater {
            task.report("body", "a body has exactly one of text, base64, json")
        }
        return text ?? bytes ?? json
    }

    // MARK: Timeouts

    private func timeouts(_ task: inout JSONObjectReader) -> TaskTimeouts {
        guard var object = task.object("timeouts") else { return TaskTimeouts() }
        let timeouts = TaskTimeouts(
            connect: duration("connect", &object), idle: duration("idle", &object), total: duration("total", &object))
        object.finish()
        return timeouts
    }

    /// A string such as `"30s"`, or a bare number of seconds.
    private func duration(_ name: String, _ object: inout JSONObjectReader) -> Duration? {
        object.parsed(name, expecting: "a duration such as \"30s\"") { value in
            switch value.kind {
            case .string(let text): DurationText.parse(text)
            case .number(let number): DurationText.parse(number.lexeme)
            default: nil
            }
        }
    }
}

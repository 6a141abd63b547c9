import ErrandJSON
import ErrandRequestSerialization
import ErrandResponseSerialization
import ErrandSessionCore
import HTTPTypes

/// Reads the part of a task document that a session turns into a request.
struct TaskRequestReader {
    let document: JSONDocument
    /// True if the client may send the content after the task.
    var takesContentLater = false

    func read(_ task: inout JSONObjectReader, _ problems: JSONProblems) -> TaskRequest {
        var request = TaskRequest()
        request.method = task.string("method")
        request.path = task.string("path") ?? ""
        request.parameters = task.value("parameters").flatMap { $0.isNull ? nil : Array(document.slice(of: $0)) }
        request.headers = Self.headers(&task)
        request.body = TaskBodyReader(document: document, takesContentLater: takesContentLater).read(
            &task, problems)
        request.requestSerializer = task.choice("request_serializer", RequestSerializerKind.self)
        request.responseSerializer = responseSerializer(&task, problems)
        request.timeouts = timeouts(&task)
        return request
    }

    /// Reads one name, or a list of names that are tried in order.
    private func responseSerializer(
        _ task: inout JSONObjectReader, _ problems: JSONProblems
    ) -> ResponseSerializerChoice? {
        guard let value = task.value("response_serializer"), !value.isNull else { return nil }
        guard case .array(let items) = value.kind else {
            return task.choice("response_serializer", ResponseSerializerKind.self).map { ResponseSerializerChoice($0) }
        }
        let names = ResponseSerializerKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        let place = task.pointer.appending("response_serializer")
        var kinds: [ResponseSerializerKind] = []
        for (index, item) in items.enumerated() {
            guard let kind = item.string.flatMap(ResponseSerializerKind.init(rawValue:)) else {
                task.report("response_serializer", item: index, expecting: names, found: item)
                continue
            }
            if kinds.contains(kind) { problems.report(place.appending("\(index)"), "the serializer is listed twice") }
            kinds.append(kind)
        }
        if items.isEmpty { problems.report(place, "expected at least one serializer") }
        return ResponseSerializerChoice(kinds)
    }

    // MARK: Headers

    /// Reads the header fields of a task, or of a part of its body.
    ///
    /// Repeated names are checked by the session, which compares them as HTTP does.
    static func headers(_ task: inout JSONObjectReader) -> [TaskHeader] {
        guard var object = task.object("headers") else { return [] }
        return object.rest().compactMap { member in
            switch member.value.kind {
            case .string(HeaderRedaction.placeholder):
                object.report(
                    member.key,
                    "the value stands for a secret that is not shown; write the secret itself, or remove this member")
                return nil
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

    // MARK: Timeouts

    private func timeouts(_ task: inout JSONObjectReader) -> TaskTimeouts {
        guard var object = task.object("timeouts") else { return TaskTimeouts() }
        let range = SessionConfiguration.timeoutRange
        let timeouts = TaskTimeouts(
            connect: object.duration("connect", in: range), idle: object.duration("idle", in: range),
            total: object.duration("total", in: range))
        object.finish()
        return timeouts
    }
}

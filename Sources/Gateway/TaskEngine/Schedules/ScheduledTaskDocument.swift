import ErrandAuthentication
import ErrandJSON
package import ErrandSessionCore
import ErrandText
import ErrandTransfer
import HTTPTypes

/// The task of a schedule as clients see it: the client's document, with secrets replaced by `[redacted]`.
///
/// Secrets are the values of header fields and query items with credentials or with names that suggest them, in the
/// request and in parts of its body.
package struct ScheduledTaskDocument {
    /// The fields that the session sets with secrets, those of its credentials among them.
    private let headerNames: Set<HTTPField.Name>
    /// The query items with the session's own credentials.
    private let queryNames: Set<String>
    /// The methods whose parameters are query items.
    private let methodsWithParametersInURL: [HTTPRequest.Method]

    /// Creates a document.
    ///
    /// - Parameter session: The session of the task; `nil` if it is no longer configured.
    package init(_ session: SessionConfiguration?) {
        headerNames = (session?.credentials?.secretHeaderNames ?? [])
            .union(HeaderRedaction.secretNames(in: session?.headers ?? [:]))
        queryNames = session?.credentials?.secretQueryNames ?? []
        methodsWithParametersInURL = session?.request.methodsWithParametersInURL ?? []
    }

    /// Returns the document without its secrets; an empty object if it cannot be read.
    package func shown(_ bytes: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        do {
            let document = try JSONDocument.parse(task: bytes)
            write(task: document.root, of: document, to: &writer)
        } catch {
            // The gateway has written the document; one that cannot be read is not shown.
            writer.raw("{}".utf8)
        }
        return writer.bytes
    }

    private func write(task value: JSONValue, of document: JSONDocument, to writer: inout JSONWriter) {
        guard let task = value.object else { return writer.raw(document.slice(of: value)) }
        let method = RequestMethodRules.method(
            named: task["method"]?.string, hasBody: task["body"].map { !$0.isNull } ?? false)
        let hasQuery = method.map { methodsWithParametersInURL.contains($0) } ?? true
        writer.beginObject()
        for member in task.members {
            writer.member(member.key)
            switch (member.key, member.value.kind) {
            case ("headers", .object(let headers)):
                write(headers, of: document, hiding: isSecret(header:), to: &writer)
            case ("parameters", .object(let parameters)):
                // As content, they only have a name in common with the session's credentials.
                write(parameters, of: document, hiding: { hasQuery && queryNames.contains($0) }, to: &writer)
            case ("path", .string(let path)):
                writer.string(shown(path: path))
            case ("body", .object(let body)):
                write(body: body, of: document, to: &writer)
            default:
                writer.raw(document.slice(of: member.value))
            }
        }
        writer.endObject()
    }

    private func write(body: JSONObject, of document: JSONDocument, to writer: inout JSONWriter) {
        writer.beginObject()
        for member in body.members {
            writer.member(member.key)
            guard member.key == "parts", let parts = member.value.array else {
                writer.raw(document.slice(of: member.value))
                continue
            }
            // A part has headers as a task has.
            writer.beginArray()
            for part in parts { write(task: part, of: document, to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }

    private func write(
        _ object: JSONObject, of document: JSONDocument, hiding isSecret: (String) -> Bool, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        for member in object.members {
            writer.member(member.key)
            if isSecret(member.key), !member.value.isNull {
                writer.string(HeaderRedaction.placeholder)
            } else {
                writer.raw(document.slice(of: member.value))
            }
        }
        writer.endObject()
    }

    private func isSecret(header name: String) -> Bool {
        guard let name = HTTPField.Name(name) else { return true }
        return HeaderRedaction.looksSecret(name) || headerNames.contains(name)
    }

    private func shown(path: String) -> String {
        guard !queryNames.isEmpty, let query = path.firstIndex(of: "?") else { return path }
        let items = path[path.index(after: query)...].split(separator: "&", omittingEmptySubsequences: false)
        let shown = items.map { item in
            let name = item.prefix { $0 != "=" }
            let isSecret = PercentCoding.decodedText(name, plusIsSpace: true).map(queryNames.contains) ?? true
            return isSecret ? "\(name)=\(HeaderRedaction.placeholder)" : String(item)
        }
        return path[...query] + shown.joined(separator: "&")
    }
}

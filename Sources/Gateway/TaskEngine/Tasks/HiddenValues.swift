import ErrandJSON
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

/// The parts of a request that a task does not show, although the session knows no secret in them: `${…}` of the
/// configuration has inserted their values.
struct HiddenValues: Sendable {
    /// The header fields with such values.
    private var headerNames: Set<HTTPField.Name> = []
    private var hasPath = false
    private var hasQuery = false
    private var hasContent = false

    /// The members of a task that decide whether its parameters are the query or the content, and how content is shown.
    static let membersOfForm = ["path", "session", "method", "headers", "request_serializer"]

    /// Creates the values that a task's document has, and that are missing in the document that clients see.
    init(of document: [UInt8], missingIn shownDocument: [UInt8]) {
        guard document != shownDocument, let task = try? JSONDocument.parse(task: document) else { return }
        // Without a document that clients see, all values are hidden.
        let shown = try? JSONDocument.parse(task: shownDocument)
        func isMissing(_ value: JSONValue, _ other: JSONValue?) -> Bool {
            guard let shown, let other else { return true }
            return !task.slice(of: value).elementsEqual(shown.slice(of: other))
        }
        for member in task.root.object?.members ?? [] {
            let other = shown?.root.object?[member.key]
            guard isMissing(member.value, other) else { continue }
            switch member.key {
            case "path": hasPath = true
            case "parameters": (hasQuery, hasContent) = (true, true)
            case "body": hasContent = true
            case "headers":
                for header in member.value.object?.members ?? []
                where isMissing(header.value, other?.object?[header.key]) {
                    // The others are hidden by their names.
                    guard let name = HTTPField.Name(header.key), !HeaderRedaction.looksSecret(name) else { continue }
                    headerNames.insert(name)
                }
            default: break
            }
        }
    }

    /// Creates the values that a task has from the task that it repeats.
    ///
    /// - Parameters:
    ///   - request: The member `request` of the original task.
    ///   - overrides: The members that replace those of its document.
    init(inheritedFrom request: JSONObject, replacing overrides: JSONObject?) {
        // Other tasks of clients have a command.
        guard request["curl"]?.isNull == true else { return }
        let url = request["url"]?.string ?? ""
        let hadPath = url.hasSuffix("/\(HeaderRedaction.placeholder)")
        hasPath = hadPath && overrides?["path"] == nil
        let mayMoveParameters = Self.membersOfForm.contains { overrides?[$0] != nil }
        // A hidden path may hide a query too, and hidden content may become the query.
        hasQuery =
            (hadPath || url.hasSuffix("?\(HeaderRedaction.placeholder)")
                || mayMoveParameters && request["body_size"]?.number?.int != 0)
            && overrides?["parameters"] == nil
        hasContent = true
        if overrides?["headers"] == nil { headerNames = RequestDocument.redactedNames(in: request) }
    }

    /// True if there are none.
    var isEmpty: Bool { headerNames.isEmpty && !hasPath && !hasQuery && !hasContent }

    /// Returns the URL of a request as text, without secrets and hidden values.
    func shownURL(of request: PreparedRequest) -> String {
        let url = request.transfer.url
        if hasPath { return "\(url.origin)/\(HeaderRedaction.placeholder)" }
        if hasQuery, url.query != nil { return "\(url.origin)\(url.path)?\(HeaderRedaction.placeholder)" }
        return request.shownURL
    }

    /// Returns the header fields of a request, without secrets and hidden values.
    func shownHeaders(of request: PreparedRequest) -> HTTPFields {
        // Short content could be guessed from its digest.
        HeaderRedaction.redacting(request.shownHeaders) { name in
            headerNames.contains(name) || hasContent && name == .contentDigest
        }
    }
}

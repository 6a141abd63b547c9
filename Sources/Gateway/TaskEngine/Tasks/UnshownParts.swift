import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandText
import ErrandTransfer
import HTTPTypes

/// The parts of a finished task that clients cannot read, as far as a repetition takes them over.
///
/// The client that repeats a task may be another one than the client that has created it. So these parts are sent to no
/// other destination than that of the task, and in no form in which clients could read them.
struct UnshownParts {
    private let record: TaskRecord
    /// The member `request` of the task.
    private let request: JSONObject
    /// The document of the task.
    private let document: JSONObject
    /// The members that replace those of the document.
    private let overrides: JSONObject
    private let hidden: HiddenValues
    /// The header fields that the task shows without their values.
    private let redactedNames: Set<HTTPField.Name>
    /// True if the client of the repetition sends its content separately, or the content of the task is sent again.
    private let hasSeparateContent: Bool
    /// The request of the repetition.
    private let prepared: PreparedRequest
    /// The member by which the client may have chosen another destination; `nil` if it has none.
    private let destination: String?
    /// True if the client has chosen another origin.
    private let isElsewhere: Bool

    /// Creates the parts of a task; `nil` if its repetition has no request yet.
    ///
    /// - Parameters:
    ///   - record: The finished task.
    ///   - request: Its member `request`.
    ///   - hidden: The values of the configuration that the repetition has from it.
    ///   - repetition: The new task.
    ///   - overrides: The members that replace those of the finished task.
    init?(
        of record: TaskRecord, request: JSONObject, hidden: HiddenValues, in repetition: AcceptedTask,
        overrides: JSONObject
    ) {
        guard let prepared = repetition.prepared else { return nil }
        self.record = record
        self.request = request
        self.hidden = hidden
        self.overrides = overrides
        self.prepared = prepared
        document = (try? JSONDocument.parse(task: record.specification.task))?.root.object ?? JSONObject()
        redactedNames = RequestDocument.redactedNames(in: request)
        hasSeparateContent = repetition.content != nil
        let destination = ["path", "session"].first { overrides[$0] != nil }
        self.destination = destination
        isElsewhere =
            destination != nil && request["url"]?.string?.hasPrefix("\(prepared.transfer.url.origin)/") != true
    }

    /// The error of the first part that the repetition must not take over; `nil` if there is none.
    var problem: JSONProblem? {
        valueProblem ?? fieldProblem ?? addressProblem ?? contentProblem
    }

    private func refusal(of part: String, at member: String) -> JSONProblem {
        JSONProblem(
            JSONPointer([member]),
            "\(part) is not shown; write \(member) again for another destination, session or method")
    }

    private func replaces(oneOf members: [String]) -> Bool {
        members.contains { overrides[$0] != nil }
    }

    // MARK: Values and header fields

    private var valueProblem: JSONProblem? {
        guard isElsewhere, !hidden.isEmpty, let destination else { return nil }
        return JSONProblem(
            JSONPointer([destination]),
            "the task has values of the configuration, which are sent to its own origin only")
    }

    private var fieldProblem: JSONProblem? {
        guard destination != nil, overrides["headers"] == nil else { return nil }
        // Another session may show a field that the former one hides.
        let shown = hidden.shownHeaders(of: prepared)
        return secretNames(in: document["headers"])
            .first { isElsewhere || shown[$0] != HeaderRedaction.placeholder }
            .map { name in
                JSONProblem(
                    JSONPointer(["headers"]),
                    "the value of \(name.rawName) is not shown; write the header fields again for another destination")
            }
    }

    /// Returns the names of those header fields of the task, or of a part of its body, whose values are secrets.
    private func secretNames(in headers: JSONValue?) -> [HTTPField.Name] {
        (headers?.object?.members ?? [])
            .filter { !$0.value.isNull }
            .compactMap { HTTPField.Name($0.key) }
            .filter { HeaderRedaction.looksSecret($0) || redactedNames.contains($0) }
    }

    // MARK: Path and query

    private var addressProblem: JSONProblem? {
        guard replaces(oneOf: ["path", "session", "method"]) else { return nil }
        let former = ShownURL(request["url"]?.string ?? "")
        let new = ShownURL(hidden.shownURL(of: prepared))
        if former.hidesPath, overrides["path"] == nil, isElsewhere || !new.hidesPath {
            return refusal(of: "a part of the path", at: "path")
        }
        for name in former.hiddenNames where isElsewhere || !new.hides(name) {
            guard let member = source(ofItem: name) else { continue }
            return refusal(of: "the value of the query item \"\(name.shortened(toBytes: 100))\"", at: member)
        }
        return nil
    }

    /// Returns the member from which the repetition has a query item of the task; `nil` if it has not, as when the
    /// session had added the item.
    private func source(ofItem name: String) -> String? {
        if overrides["path"] == nil, let path = document["path"]?.string,
            ShownURL.names(ofItemsIn: path).contains(name)
        {
            return "path"
        }
        // With content, the parameters were not in the URL.
        guard overrides["parameters"] == nil, request["body_size"]?.number?.int == 0 else { return nil }
        let parameters = document["parameters"]?.object?.members ?? []
        let makesItem = parameters.contains { member in
            // An array or an object makes several items, such as `name[]` or `name.inner`.
            !member.value.isNull
                && (name == member.key || name.hasPrefix("\(member.key)[") || name.hasPrefix("\(member.key)."))
        }
        return makesItem ? "parameters" : nil
    }

    // MARK: Content

    private var contentProblem: JSONProblem? {
        guard replaces(oneOf: HiddenValues.membersOfForm), let member = contentMember, overrides[member] == nil
        else { return nil }
        if isElsewhere, let name = secretNameInParts {
            return refusal(of: "the value of \(name.rawName) in a part of the body", at: member)
        }
        guard hasUnreadContent, isElsewhere || !keepsContentUnread else { return nil }
        return refusal(of: "the content", at: member)
    }

    /// The member that has the content of the task, or says that the client sends it separately; `nil` for none.
    private var contentMember: String? {
        if let body = document["body"], !body.isNull { return "body" }
        // Without content, the parameters were in the URL.
        guard let parameters = document["parameters"], !parameters.isNull, request["body_size"]?.number?.int != 0
        else { return nil }
        return "parameters"
    }

    private var secretNameInParts: HTTPField.Name? {
        for part in document["body"]?.object?["parts"]?.array ?? [] {
            if let name = secretNames(in: part.object?["headers"]).first { return name }
        }
        return nil
    }

    /// True if the task has content that its command does not show.
    private var hasUnreadContent: Bool {
        guard !hasSeparateContent else {
            // Otherwise the new task waits for content of its own.
            return record.state == .failed && (record.content?.storedSize ?? 0) > 0
        }
        return Self.namesFile(request["curl"]?.string, before: request["url"]?.string)
    }

    /// True if the repetition does not show the content either.
    private var keepsContentUnread: Bool {
        hasSeparateContent || Self.namesFile(prepared.curlCommand, before: prepared.shownURL)
    }

    /// Returns true if a command names a file in place of the content, which is long, no text, or a file.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - url: The URL at its end.
    private static func namesFile(_ command: String?, before url: String?) -> Bool {
        guard let command, let url else { return false }
        let quoted = url.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
        return command.hasSuffix(" --data-binary @body '\(quoted)'")
    }
}

/// A URL as a task shows it: with `[redacted]` in place of secrets.
///
/// Its path and its query have no other brackets, because those of a URL are escaped there.
private struct ShownURL {
    /// An item of the query.
    private struct Item {
        /// The name, unescaped.
        var name: String
        var isHidden: Bool
    }

    /// True if a part of the path is hidden.
    let hidesPath: Bool
    private let items: [Item]

    /// Creates a URL from its text.
    init(_ text: String) {
        let (address, items) = Self.parts(of: text)
        // Behind the scheme and the authority, in which an IPv6 address has brackets.
        let path = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3)
        hidesPath = path.contains { Self.isHidden($0) }
        self.items = items
    }

    /// The names of the hidden items, in their order.
    var hiddenNames: [String] { items.filter(\.isHidden).map(\.name) }

    /// Returns true if the URL has an item with a name, and each of them is hidden.
    func hides(_ name: String) -> Bool {
        let named = items.filter { $0.name == name }
        return !named.isEmpty && named.allSatisfy(\.isHidden)
    }

    /// Returns the names of the query items in the `path` of a task.
    static func names(ofItemsIn path: String) -> [String] {
        parts(of: path).items.map(\.name)
    }

    /// Divides a URL or a reference, without its fragment.
    private static func parts(of text: String) -> (address: Substring, items: [Item]) {
        let reference = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        let address = reference.prefix { $0 != UInt8(ascii: "?") }
        let query = reference[address.endIndex...].dropFirst()
        let items = query.split(separator: UInt8(ascii: "&")).map { item in
            let name = Substring(item.prefix { $0 != UInt8(ascii: "=") })
            return Item(
                name: PercentCoding.decodedText(name, plusIsSpace: true) ?? String(name),
                isHidden: isHidden(Substring(item)))
        }
        return (Substring(address), items)
    }

    private static func isHidden(_ text: Substring) -> Bool {
        text.utf8.contains(UInt8(ascii: "["))
    }
}

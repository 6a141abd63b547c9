import ErrandSessionCore
package import ErrandSettings
import ErrandYAML
import HTTPTypes

/// The task of a schedule, as a JSON document for the API.
///
/// The configuration checks only its form. Two tasks are equal if their documents are equal, and the same parts of them
/// are shown.
package struct ScheduledTask: Sendable {
    /// The document (a JSON object), which may contain secrets.
    package let document: [UInt8]
    /// The document with `[redacted]` for secrets: values inserted by `${…}`, and headers that look like credentials.
    package let shown: [UInt8]
    let shownNode: YAMLNode
    /// The node that was read, for the locations of problems; `nil` if the task is not from a file.
    private let node: YAMLNode?
    /// The locations of the values into which `${…}` has inserted something.
    private let insertions: Set<YAMLMark>

    /// Creates an empty task.
    init() {
        (document, shown) = (Array("{}".utf8), Array("{}".utf8))
        shownNode = .mapping([])
        node = nil
        insertions = []
    }

    fileprivate init(
        document: [UInt8], shown: [UInt8], shownNode: YAMLNode, node: YAMLNode, insertions: Set<YAMLMark>
    ) {
        self.document = document
        self.shown = shown
        self.shownNode = shownNode
        self.node = node
        self.insertions = insertions
    }

    /// The session that the task names as a string, if any.
    var session: String? {
        guard case .scalar(let scalar)? = shownNode[YAMLPath(keys: ["session"])]?.content else { return nil }
        return scalar.text
    }

    /// True if the task has a callback.
    var hasCallback: Bool { shownNode[YAMLPath(keys: ["callback"])] != nil }

    /// Returns a fault of the task of a schedule as a problem of the configuration.
    ///
    /// - Parameters:
    ///   - schedule: The name of the schedule.
    ///   - pointer: The tokens of the JSON pointer to the fault, from the task.
    ///   - message: The description of the fault. The problem has another if it may repeat an interpolated value.
    package func problem(of schedule: String, at pointer: [String], _ message: String) -> ConfigurationProblem {
        var path = YAMLPath(keys: ["schedules", schedule, "task"])
        var mark = node?.mark
        var here = node
        var isInterpolated = false
        for token in pointer {
            let step: YAMLPath.Step
            if case .sequence = here?.content, let index = Int(token) {
                step = .index(index)
            } else {
                step = .key(token)
            }
            path.push(step)
            // A missing member is reported at its parent; an unexpected one at its key.
            here = here?[YAMLPath([step])]
            mark = here?.mark ?? mark
            if let place = here?.mark, insertions.contains(place) { isInterpolated = true }
        }
        return ConfigurationProblem(
            location: .file(mark ?? .start), path: path, message: isInterpolated ? Self.hiddenFault : message)
    }

    /// The description of a fault at an interpolated value, which may be a secret.
    private static let hiddenFault = "invalid name or value (not described, as the value is interpolated)"
}

extension ScheduledTask: Hashable {
    package static func == (one: ScheduledTask, other: ScheduledTask) -> Bool {
        one.document == other.document && one.shown == other.shown
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(document)
        hasher.combine(shown)
    }
}

extension SettingType where Value == ScheduledTask {
    /// The type of a mapping that is converted to a JSON document.
    static var scheduledTask: SettingType {
        SettingType(
            shape: .document("task as in `POST /v1/tasks`"),
            read: { node, _, reader in
                guard let node else { return nil }
                guard node.mapping != nil else {
                    reader.report("expected a mapping, found \(reader.kind(of: node))")
                    return nil
                }
                let problems = reader.problems.count
                let document = YAMLToJSON.convert(node, &reader)
                guard reader.problems.count == problems else { return nil }
                let shown = shown(node, reader)
                return ScheduledTask(
                    document: document, shown: YAMLToJSON.convert(shown, &reader), shownNode: shown, node: node,
                    insertions: insertions(in: node, reader))
            },
            write: \.shownNode)
    }

    /// Returns the node without its secrets.
    private static func shown(_ node: YAMLNode, _ reader: SettingReader) -> YAMLNode {
        var node = node
        switch node.content {
        case .scalar:
            if reader.isInterpolated(node) { node = .redacted }
        case .sequence(let items):
            node.content = .sequence(items.map { shown($0, reader) })
        case .mapping(var mapping):
            for member in mapping.members {
                let value = shown(member.value, reader)
                mapping.set(member.key, to: member.key == "headers" ? headers(value) : value)
            }
            node.content = .mapping(mapping)
        }
        return node
    }

    /// Returns the locations of the scalars into which `${…}` has inserted something.
    private static func insertions(in node: YAMLNode, _ reader: SettingReader) -> Set<YAMLMark> {
        let children: [YAMLNode]
        switch node.content {
        case .scalar:
            guard reader.isInterpolated(node), let mark = node.mark else { return [] }
            return [mark]
        case .sequence(let items):
            children = items
        case .mapping(let mapping):
            children = mapping.members.map(\.value)
        }
        return children.reduce(into: []) { $0.formUnion(insertions(in: $1, reader)) }
    }

    private static func headers(_ node: YAMLNode) -> YAMLNode {
        guard var mapping = node.mapping else { return node }
        for member in mapping.members where HTTPField.Name(member.key).map(HeaderRedaction.looksSecret) ?? true {
            mapping.set(member.key, to: .redacted)
        }
        return YAMLNode(.mapping(mapping), mark: node.mark)
    }
}

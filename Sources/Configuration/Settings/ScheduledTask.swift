import HTTPTypes
import SessionCore
import YAML

/// The task of a schedule, as the file has it: a document for the API, which nothing but its form is known of here.
///
/// Two tasks are equal when their documents are.
package struct ScheduledTask: Sendable {
    /// The document (a JSON object); may hold secrets.
    package let document: [UInt8]
    /// The document with `[redacted]` for secrets: what was put in by `${…}`, and headers that look as if they carried one.
    package let shown: [UInt8]
    let shownNode: YAMLNode
    /// What was read, for the places of faults; `nil` when it was not read from a file.
    private let node: YAMLNode?

    /// Creates an empty task.
    init() {
        (document, shown) = (Array("{}".utf8), Array("{}".utf8))
        shownNode = .mapping([])
        node = nil
    }

    fileprivate init(document: [UInt8], shown: [UInt8], shownNode: YAMLNode, node: YAMLNode) {
        self.document = document
        self.shown = shown
        self.shownNode = shownNode
        self.node = node
    }

    /// A fault of the task of a schedule as a problem of the configuration.
    ///
    /// - Parameters:
    ///   - schedule: The name of the schedule.
    ///   - pointer: The tokens of the JSON pointer to the fault, from the task.
    ///   - message: What is wrong.
    package func problem(of schedule: String, at pointer: [String], _ message: String) -> ConfigurationProblem {
        var path = YAMLPath(keys: ["schedules", schedule, "task"])
        var mark = node?.mark
        var here = node
        for token in pointer {
            let step: YAMLPath.Step
            if case .sequence = here?.content, let index = Int(token) {
                step = .index(index)
            } else {
                step = .key(token)
            }
            path.push(step)
            // What is missing is told at what it is missing in; of what is there but should not be, the key is at fault.
            here = here?[YAMLPath([step])]
            mark = here?.mark ?? mark
        }
        return ConfigurationProblem(.file(mark ?? .start), path, message)
    }
}

extension ScheduledTask: Hashable {
    package static func == (one: ScheduledTask, other: ScheduledTask) -> Bool {
        one.document == other.document
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(document)
    }
}

extension SettingType where Value == ScheduledTask {
    /// A mapping that becomes a JSON document.
    static var scheduledTask: SettingType {
        SettingType(
            shape: .document("task as `POST /v1/tasks` takes it"),
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
                    document: document, shown: YAMLToJSON.convert(shown, &reader), shownNode: shown, node: node)
            },
            write: \.shownNode)
    }

    /// The same without its secrets.
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

    private static func headers(_ node: YAMLNode) -> YAMLNode {
        guard var mapping = node.mapping else { return node }
        for member in mapping.members where HTTPField.Name(member.key).map(HeaderRedaction.looksSecret) ?? true {
            mapping.set(member.key, to: .redacted)
        }
        return YAMLNode(.mapping(mapping), mark: node.mark)
    }
}

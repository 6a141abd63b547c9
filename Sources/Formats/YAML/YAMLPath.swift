import ErrandText

/// The path from the root of a document to a node, written `sessions.github.tokens[1]`.
package struct YAMLPath: Sendable, Hashable, CustomStringConvertible {
    /// A step of a path.
    package enum Step: Sendable, Hashable {
        /// The value of a key of a mapping.
        case key(String)
        /// An item of a sequence, counted from 0.
        case index(Int)
    }

    /// The steps, from the root.
    package private(set) var steps: [Step]

    /// Creates a path; an empty one is the root.
    package init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// Creates a path of keys.
    package init(keys: some Sequence<String>) {
        self.steps = keys.map { .key($0) }
    }

    /// A Boolean value that indicates whether this is the root.
    package var isRoot: Bool { steps.isEmpty }

    /// Returns this path with one step appended.
    package func appending(_ step: Step) -> YAMLPath {
        YAMLPath(steps + [step])
    }

    /// Returns this path with the steps of another one appended.
    package func appending(_ path: YAMLPath) -> YAMLPath {
        YAMLPath(steps + path.steps)
    }

    /// Returns true if `other` is a prefix of this path, or equal to it.
    package func hasPrefix(_ other: YAMLPath) -> Bool {
        steps.starts(with: other.steps)
    }

    /// Appends a step.
    package mutating func push(_ step: Step) {
        steps.append(step)
    }

    /// Removes the last step; the root stays unchanged.
    package mutating func pop() {
        _ = steps.popLast()
    }

    /// The steps, separated by dots; keys that are not words are quoted.
    package var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .index(let index):
                text += "[\(index)]"
            case .key(let key):
                if !text.isEmpty { text += "." }
                text += Self.isWord(key) ? key : YAMLText.quoted(key, limit: 64)
            }
        }
        return text
    }

    private static func isWord(_ key: String) -> Bool {
        let isPlain = key.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_-".utf8.contains($0) }
        return isPlain && !key.isEmpty && key.utf8.count <= 64
    }
}

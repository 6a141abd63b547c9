/// The way from the root of a document to a node, written `sessions.github.tokens[1]`.
package struct YAMLPath: Sendable, Hashable, CustomStringConvertible {
    /// One step of the way.
    package enum Step: Sendable, Hashable {
        /// To the value of a key of a mapping.
        case key(String)
        /// To an item of a sequence, from 0.
        case index(Int)
    }

    /// The steps, from the root.
    package private(set) var steps: [Step]

    /// Creates a path; empty is the root.
    package init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// Creates a path of keys.
    package init(keys: some Sequence<String>) {
        self.steps = keys.map { .key($0) }
    }

    /// Whether this is the root.
    package var isRoot: Bool { steps.isEmpty }

    /// This path and one step more.
    package func appending(_ step: Step) -> YAMLPath {
        YAMLPath(steps + [step])
    }

    /// This path and the steps of another.
    package func appending(_ path: YAMLPath) -> YAMLPath {
        YAMLPath(steps + path.steps)
    }

    /// Whether the way to this node begins with the whole way of `other`.
    package func hasPrefix(_ other: YAMLPath) -> Bool {
        steps.starts(with: other.steps)
    }

    /// Goes one step down.
    package mutating func push(_ step: Step) {
        steps.append(step)
    }

    /// Goes one step up; at the root it stays there.
    package mutating func pop() {
        _ = steps.popLast()
    }

    /// The steps with dots between; keys that are not words are quoted.
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
        let isPlain = key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default:
                false
            }
        }
        return isPlain && !key.isEmpty && key.utf8.count <= 64
    }
}

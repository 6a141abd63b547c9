import ErrandJSON

/// The `ordering_key` of a task: tasks of a session with the same key run one at a time.
enum OrderingKey {
    /// The longest key, in characters (Unicode code points).
    static let lengthLimit = 255

    /// Reads the key from a task.
    static func read(_ task: inout JSONObjectReader) -> String? {
        task.parsed("ordering_key", expecting: "a string of 1 to \(lengthLimit) characters") { value in
            guard let key = value.string, (1...lengthLimit).contains(key.unicodeScalars.count) else { return nil }
            return key
        }
    }
}

import ErrandJSON
import Logging

extension JSONWriter {
    /// Writes a value of a log line as the type that the caller gave it.
    ///
    /// An integer, a finite `Double` and a `Bool` in `.stringConvertible` are a number and a Boolean, lists are arrays,
    /// and dictionaries are objects with sorted names. Everything else is a string.
    mutating func metadata(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text):
            string(text)
        case .stringConvertible(let value):
            convertible(value)
        case .array(let items):
            beginArray()
            for item in items { metadata(item) }
            endArray()
        case .dictionary(let entries):
            beginObject()
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                member(name)
                metadata(entry)
            }
            endObject()
        }
    }

    private mutating func convertible(_ value: any CustomStringConvertible & Sendable) {
        if let boolean = value as? Bool {
            bool(boolean)
        } else if let integer = value as? any BinaryInteger {
            int(integer)
        } else if let number = value as? Double, number.isFinite {
            double(number)
        } else {
            string(value.description)
        }
    }
}

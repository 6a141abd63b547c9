import ErrandJSON
import ErrandTaskStore
import ErrandTime

extension JSONWriter {
    /// Writes the text of an identifier.
    mutating func string(_ id: TaskID) {
        plainString { id.write(to: &$0) }
    }

    /// Writes the text of a time.
    mutating func string(_ time: Timestamp) {
        plainString { time.write(to: &$0) }
    }
}

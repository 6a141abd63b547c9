package import ErrandJSON
package import ErrandTaskStore
package import ErrandTime

extension JSONWriter {
    /// Writes the text of an identifier.
    package mutating func string(_ id: TaskID) {
        plainString { id.write(to: &$0) }
    }

    /// Writes the text of a time.
    package mutating func string(_ time: Timestamp) {
        plainString { time.write(to: &$0) }
    }
}

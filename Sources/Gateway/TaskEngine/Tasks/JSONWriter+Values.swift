package import ErrandJSON
package import ErrandTaskStore
package import ErrandTime

extension JSONWriter {
    /// Writes the text of an identifier, or `null`.
    package mutating func string(_ id: TaskID?) {
        guard let id else { return null() }
        plainString { id.write(to: &$0) }
    }

    /// Writes the text of a time, or `null`.
    package mutating func string(_ time: Timestamp?) {
        guard let time else { return null() }
        plainString { time.write(to: &$0) }
    }

    /// Writes a member with the text of an identifier, or with `null`.
    package mutating func member(_ name: StaticString, _ id: TaskID?) {
        member(name)
        string(id)
    }

    /// Writes a member with the text of a time, or with `null`.
    package mutating func member(_ name: StaticString, _ time: Timestamp?) {
        member(name)
        string(time)
    }
}

/// Writes JSON text (RFC 8259) piece by piece, compact, with the commas where they belong.
///
/// Calls must nest as JSON does: ``beginObject()``, then ``member(_:)-(StaticString)`` and one value for each member,
/// then ``endObject()``. What is passed as text always becomes a valid string; only ``raw(_:)`` and
/// ``rawMembers(_:)`` trust their caller.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.member("attempts")
/// writer.int(3)
/// writer.endObject()
/// // writer.bytes is {"attempts":3}
/// ```
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    /// A value or a member before this place needs a comma to follow it.
    private var needsComma = false

    /// Creates an empty writer.
    ///
    /// - Parameter capacity: The room that is made beforehand, in bytes.
    public init(capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: Structure

    /// Opens an object.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Closes the innermost object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Opens an array.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Closes the innermost array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Begins a member whose name is written in the program; the value follows.
    public mutating func member(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { name in
            // The buffer is read here and nowhere later, and the bytes of a static string never change.
            if unsafe name.contains(where: Self.needsEscape) {
                // As above.
                unsafe name.forEach { append(escaping: $0) }
            } else {
                // As above.
                unsafe bytes.append(contentsOf: name)
            }
        }
        endName()
    }

    /// Begins a member; the value follows.
    @_disfavoredOverload
    public mutating func member(_ name: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(escaping: name)
        endName()
    }

    // MARK: Values

    /// Writes a string.
    public mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(escaping: text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes an integer.
    public mutating func int(_ number: Int) { scalar(String(number).utf8) }

    /// Writes an integer of another width.
    @_disfavoredOverload
    public mutating func int(_ number: some BinaryInteger) { scalar(String(number).utf8) }

    /// Writes a number in its shortest exact form; JSON has no infinity and no NaN, so those become `null`.
    public mutating func double(_ number: Double) {
        guard number.isFinite else { return null() }
        let text = number.description
        scalar(text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { scalar((value ? "true" : "false").utf8) }

    /// Writes `null`.
    public mutating func null() { scalar("null".utf8) }

    /// Splices in JSON text: exactly one value, as it is.
    public mutating func raw(_ json: some Collection<UInt8>) { scalar(json) }

    /// Splices members, `"a":1,"b":2`, into the open object, as they are; nothing when there are none.
    public mutating func rawMembers(_ members: some Collection<UInt8>) {
        guard !members.isEmpty else { return }
        scalar(members)
    }

    // MARK: Pieces

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func endName() {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func scalar(_ text: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    // MARK: Escapes

    /// Appends text in the longest runs that need no escape: most texts are one.
    private mutating func append(escaping text: String) {
        guard Self.needsEscape(text) else { return bytes.append(contentsOf: text.utf8) }
        var rest = text.utf8[...]
        while let place = rest.firstIndex(where: Self.needsEscape) {
            bytes.append(contentsOf: rest[..<place])
            append(escaping: rest[place])
            rest = rest[rest.index(after: place)...]
        }
        bytes.append(contentsOf: rest)
    }

    /// Whether any byte needs an escape.
    ///
    /// Looks at all of them without a branch, which the compiler turns into vectors.
    private static func needsEscape(_ text: String) -> Bool {
        let span = text.utf8.span
        var found = false
        for offset in span.indices { found = needsEscape(span[offset]) || found }
        return found
    }

    /// Whether a string cannot hold the byte as it is (RFC 8259 §7); `/` may be escaped, but need not.
    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x20...:
            bytes.append(byte)
        case 0x0A: append(escape: "n")
        case 0x0D: append(escape: "r")
        case 0x09: append(escape: "t")
        case 0x08: append(escape: "b")
        case 0x0C: append(escape: "f")
        default:
            append(escape: "u")
            bytes.append(UInt8(ascii: "0"))
            bytes.append(UInt8(ascii: "0"))
            bytes.append(Self.digit(byte >> 4))
            bytes.append(Self.digit(byte & 0xF))
        }
    }

    private mutating func append(escape letter: Unicode.Scalar) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(ascii: letter))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

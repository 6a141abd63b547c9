import ErrandText

/// A writer of compact JSON text (RFC 8259), piece by piece, which adds the commas.
///
/// Calls must nest as JSON does: ``beginObject()``, then each member with its value, or ``member(_:)-(StaticString)``
/// followed by one value, then ``endObject()``. Any text becomes a valid string; only ``plainString(_:)``, ``raw(_:)`` and ``rawMembers(_:)``
/// do not check their arguments.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.member("attempts", 3)
/// writer.endObject()
/// // writer.bytes is {"attempts":3}
/// ```
public struct JSONWriter: Sendable {
    /// The output so far.
    public private(set) var bytes: [UInt8] = []
    /// True if the next value or member needs a comma before it.
    private var needsComma = false

    /// Creates an empty writer.
    ///
    /// - Parameter capacity: The initial capacity, in bytes.
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

    /// Writes an object.
    ///
    /// - Parameter members: Writes its members.
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    /// Writes a member with an array.
    ///
    /// - Parameter elements: Writes its elements.
    public mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        member(name)
        beginArray()
        elements(&self)
        endArray()
    }

    /// Begins a member with a constant name; its value must follow.
    public mutating func member(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { name in
            // The buffer is used only in this call, and the bytes of a static string never change.
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

    /// Begins a member; its value must follow.
    @_disfavoredOverload
    public mutating func member(_ name: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(escaping: name)
        endName()
    }

    // MARK: Members

    /// Writes a member with a string, or with `null`.
    public mutating func member(_ name: StaticString, _ text: String?) {
        member(name)
        string(text)
    }

    /// Writes a member with a string, or with `null`.
    @_disfavoredOverload
    public mutating func member(_ name: String, _ text: String?) {
        member(name)
        string(text)
    }

    /// Writes a member with an integer, or with `null`.
    public mutating func member(_ name: StaticString, _ number: Int?) {
        member(name)
        int(number)
    }

    /// Writes a member with an integer, or with `null`.
    @_disfavoredOverload
    public mutating func member(_ name: String, _ number: Int?) {
        member(name)
        int(number)
    }

    /// Writes a member with an integer of 64 bits, or with `null`.
    public mutating func member(_ name: StaticString, _ number: Int64?) {
        member(name)
        int(number)
    }

    /// Writes a member with an integer of another width, or with `null`.
    @_disfavoredOverload
    public mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
        member(name)
        int(number)
    }

    /// Writes a member with a number, or with `null`.
    public mutating func member(_ name: StaticString, _ number: Double?) {
        member(name)
        double(number)
    }

    /// Writes a member with `true` or `false`.
    public mutating func member(_ name: StaticString, _ value: Bool) {
        member(name)
        bool(value)
    }

    // MARK: Values

    /// Writes a string, or `null`.
    public mutating func string(_ text: String?) {
        guard let text else { return null() }
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(escaping: text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a string whose characters need no escape, such as an identifier or a time.
    ///
    /// The characters are not checked.
    ///
    /// - Parameter write: Appends the characters, without quotes.
    public mutating func plainString(_ write: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        write(&bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes an integer, or `null`.
    public mutating func int(_ number: Int?) {
        if let number { scalar(String(number).utf8) } else { null() }
    }

    /// Writes an integer of 64 bits, or `null`.
    public mutating func int(_ number: Int64?) {
        if let number { scalar(String(number).utf8) } else { null() }
    }

    /// Writes an integer of another width, or `null`.
    @_disfavoredOverload
    public mutating func int(_ number: (some BinaryInteger)?) {
        if let number { scalar(String(number).utf8) } else { null() }
    }

    /// Writes a number in its shortest exact form, or `null`, also for infinity and NaN, which JSON does not have.
    public mutating func double(_ number: Double?) {
        guard let number, number.isFinite else { return null() }
        let text = number.description
        scalar(text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { scalar((value ? "true" : "false").utf8) }

    /// Writes `null`.
    public mutating func null() { scalar("null".utf8) }

    /// Inserts JSON text unchanged: exactly one value.
    public mutating func raw(_ json: some Collection<UInt8>) { scalar(json) }

    /// Inserts JSON text unchanged: exactly one value; writes `null` without one.
    public mutating func raw(_ json: [UInt8]?) {
        if let json { scalar(json) } else { null() }
    }

    /// Inserts JSON text unchanged: exactly one value; writes `null` without one.
    public mutating func raw(_ json: ArraySlice<UInt8>?) {
        if let json { scalar(json) } else { null() }
    }

    /// Inserts members, `"a":1,"b":2`, into the open object, unchanged; writes nothing if they are empty.
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

    /// Appends text in the longest runs without an escape: most texts are a single run.
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

    /// Returns the number of bytes of a string in JSON, with its quotes.
    public static func byteCount(ofString text: String) -> Int {
        let span = text.utf8.span
        var count = 2 + span.count
        for offset in span.indices where needsEscape(span[offset]) {
            count += shortEscape(of: span[offset]) == nil ? 5 : 1
        }
        return count
    }

    /// Returns the character after the backslash if the escape of a byte has two characters, and not the six of its
    /// number.
    private static func shortEscape(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
        case 0x0A: UInt8(ascii: "n")
        case 0x0D: UInt8(ascii: "r")
        case 0x09: UInt8(ascii: "t")
        case 0x08: UInt8(ascii: "b")
        case 0x0C: UInt8(ascii: "f")
        default: nil
        }
    }

    /// Returns true if any byte needs an escape.
    ///
    /// It checks all bytes without a branch, so that the compiler can vectorize it.
    private static func needsEscape(_ text: String) -> Bool {
        let span = text.utf8.span
        var found = false
        for offset in span.indices { found = needsEscape(span[offset]) || found }
        return found
    }

    /// Returns true if a byte must be escaped in a string (RFC 8259 §7); `/` may be escaped, but need not be.
    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func append(escaping byte: UInt8) {
        guard Self.needsEscape(byte) else { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "\\"))
        if let letter = Self.shortEscape(of: byte) { return bytes.append(letter) }
        bytes.append(contentsOf: "u00".utf8)
        bytes.append(Hexadecimal.digit(byte >> 4))
        bytes.append(Hexadecimal.digit(byte & 0xF))
    }
}

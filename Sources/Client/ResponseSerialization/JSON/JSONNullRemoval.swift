/// Removes nulls from JSON text: members of objects and items of arrays, at every depth.
///
/// All other bytes stay unchanged. A member or item is removed with the preceding separator and the white space around
/// that; if nothing is left before it, with the following separator. Containers that become empty have no white space
/// between their brackets.
///
/// Only the new text is allocated, at once, and nothing if there is no null; there is no tree and no recursion.
struct JSONNullRemoval {
    private let bytes: [UInt8]
    private let end: Int
    private var index: Int
    private var open: [Container] = []
    private var output: [UInt8] = []
    /// The offset up to which the text was copied or dropped.
    private var done: Int

    /// An array or object whose end has not been reached.
    private struct Container {
        let isObject: Bool
        /// The offset after its opening bracket.
        let inside: Int
        /// The offset of its first element.
        let first: Int
        /// The end of the last element that is kept; `nil` if there is none yet.
        var keptEnd: Int?
    }

    /// Returns a value without its nulls; `nil` if it contains none.
    ///
    /// - Parameters:
    ///   - bytes: JSON text.
    ///   - range: The range of the value, without surrounding white space. The value must be valid JSON; otherwise the
    ///     result is undefined.
    static func removing(from bytes: [UInt8], in range: Range<Int>) -> [UInt8]? {
        var removal = Self(bytes, range.clamped(to: bytes.indices))
        return removal.run()
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        end = range.upperBound
        index = range.lowerBound
        done = range.lowerBound
    }

    private mutating func run() -> [UInt8]? {
        let start = done
        beginValue()
        while !open.isEmpty { passElement() }
        guard done > start else { return nil }
        output.append(contentsOf: bytes[done..<end])
        // The result may be kept for long, with most of its memory unused.
        guard output.capacity - output.count > max(output.count, 4_096) else { return output }
        var rest: [UInt8] = []
        rest.reserveCapacity(output.count)
        rest.append(contentsOf: output)
        return rest
    }

    /// Drops a range of bytes after copying the bytes before it.
    private mutating func drop(_ range: Range<Int>) {
        guard range.upperBound > done, !range.isEmpty else { return }
        // Growth would need up to three times the memory.
        if output.capacity == 0 { output.reserveCapacity(end - done - range.count) }
        if range.lowerBound > done { output.append(contentsOf: bytes[done..<range.lowerBound]) }
        done = range.upperBound
    }

    // MARK: Containers

    /// Skips a member or an item, up to the next one or, in a non-empty container, to its first one.
    private mutating func passElement() {
        let (container, start) = (open[open.count - 1], index)
        if container.isObject { passName() }
        let isNull = current == UInt8(ascii: "n")
        if !isNull, container.keptEnd == nil { drop(container.first..<start) }
        if !beginValue() { endElement(isNull: isNull) }
    }

    /// Skips a scalar or an empty container, or enters a container up to its first element.
    ///
    /// - Returns: True if it has entered a container.
    @discardableResult
    private mutating func beginValue() -> Bool {
        switch current {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = current == UInt8(ascii: "{")
            index += 1
            let inside = index
            passWhitespace()
            guard current != UInt8(ascii: "}"), current != UInt8(ascii: "]") else {
                index += 1
                return false
            }
            open.append(Container(isObject: isObject, inside: inside, first: index))
            return true
        case UInt8(ascii: "\""):
            passString()
        default:
            while index < end, !Self.endsScalar(bytes[index]) { index += 1 }
        }
        return false
    }

    /// Ends an element: continues with the next one, leaving containers that end here.
    private mutating func endElement(isNull: Bool) {
        var isNull = isNull
        while var container = open.popLast() {
            if !isNull {
                container.keptEnd = index
            } else if let keptEnd = container.keptEnd {
                drop(keptEnd..<index)
            }
            passWhitespace()
            if current == UInt8(ascii: ",") {
                index += 1
                passWhitespace()
                open.append(container)
                return
            }
            if container.keptEnd == nil { drop(container.inside..<index) }
            index += 1
            isNull = false
        }
    }

    // MARK: Tokens

    /// The current byte; at the end 0, which begins no token.
    private var current: UInt8 { index < end ? bytes[index] : 0 }

    private mutating func passName() {
        passString()
        passWhitespace()
        index += 1
        passWhitespace()
    }

    private mutating func passString() {
        index += 1
        while index < end, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index += 1
    }

    private mutating func passWhitespace() {
        while index < end, Self.isWhitespace(bytes[index]) { index += 1 }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") || isWhitespace(byte)
    }
}

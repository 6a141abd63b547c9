/// Takes what is null out of JSON text: members of objects and items of arrays, at every depth.
///
/// All other bytes stay as they are. With a member or item goes the separator before it and the whitespace around that;
/// when nothing is left before it, the separator behind it. Brackets with nothing left between them close up.
///
/// Nothing is made of the text but the new one, and nothing when there is no null: no tree, no recursion.
struct JSONNullRemoval {
    private let bytes: [UInt8]
    private let end: Int
    private var index: Int
    private var open: [Container] = []
    private var output: [UInt8] = []
    /// What is before this place has been written or dropped.
    private var done: Int

    /// An array or object whose end has not been reached.
    private struct Container {
        let isObject: Bool
        /// The place behind its bracket.
        let inside: Int
        /// Where its first element begins.
        let first: Int
        /// Where the last of its elements that stay ends; `nil` as long as none stays.
        var keptEnd: Int?
    }

    /// A value without its nulls; `nil` when there are none in it.
    ///
    /// - Parameters:
    ///   - bytes: JSON text.
    ///   - range: Where the value is, without whitespace around it. It has been found valid; if it is not, the result
    ///     means nothing.
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
        return output
    }

    /// Leaves bytes out; those before them that have not been written yet are written.
    private mutating func drop(_ range: Range<Int>) {
        guard range.upperBound > done, !range.isEmpty else { return }
        if range.lowerBound > done { output.append(contentsOf: bytes[done..<range.lowerBound]) }
        done = range.upperBound
    }

    // MARK: Containers

    /// Passes a member or an item, up to the next one, or to the first one in it when it is a container.
    private mutating func passElement() {
        let (container, start) = (open[open.count - 1], index)
        if container.isObject { passName() }
        let isNull = current == UInt8(ascii: "n")
        if !isNull, container.keptEnd == nil { drop(container.first..<start) }
        if !beginValue() { endElement(isNull: isNull) }
    }

    /// Passes a scalar or an empty container, or opens a container up to its first element.
    ///
    /// - Returns: Whether it has opened one.
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

    /// Behind an element: goes on to the next one, out of containers that end here.
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

    /// The byte here; 0, which no token begins with, at the end.
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

import ErrandSessionCore
package import ErrandTaskStore
import ErrandText
package import HTTPTypes

/// The header fields `traceparent` and `tracestate` of a client (W3C Trace Context, level 1).
extension TraceContext {
    /// Reads the trace of a request.
    ///
    /// - Returns: `nil` if there is no `traceparent`, more than one, or an invalid one. An invalid `tracestate` is
    ///   ignored.
    package init?(_ headers: HTTPFields) {
        let parents = headers[values: .traceParent]
        guard let value = parents.first, parents.count == 1, let parent = TraceParent(value) else { return nil }
        self.init(
            traceID: parent.traceID, parentID: parent.parentID, isSampled: parent.isSampled,
            state: TraceState.text(of: headers[values: .traceState]))
    }
}

/// The value of `traceparent` (§3.2).
private struct TraceParent {
    var traceID: [UInt8]
    var parentID: [UInt8]
    var isSampled: Bool

    /// The length of version 00, in characters; later versions begin with the same parts.
    private static let length = 55
    private static let dash = UInt8(ascii: "-")

    /// Reads a value; returns `nil` for one that is not valid.
    ///
    /// Identifiers of zeros are refused by ``TraceContext``.
    init?(_ value: String) {
        let text = Array(value.utf8)
        guard text.count >= Self.length, text[2] == Self.dash, text[35] == Self.dash, text[52] == Self.dash,
            let version = Self.bytes(text[0..<2])?.first, version != 0xFF,
            text.count == Self.length || version > 0 && text[Self.length] == Self.dash,
            let traceID = Self.bytes(text[3..<35]), let parentID = Self.bytes(text[36..<52]),
            let flags = Self.bytes(text[53..<55])?.first
        else { return nil }
        self.traceID = traceID
        self.parentID = parentID
        isSampled = flags & 1 == 1
    }

    /// Decodes an even number of digits, which have to be lower case.
    private static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard !digits.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return nil }
        return Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
    }
}

/// The value of `tracestate` (§3.3): the positions of the tracing systems that took part in the trace.
private enum TraceState {
    /// The maximum number of members; a list with more is invalid.
    private static let maxMembers = 32
    /// The maximum length of a list that is passed on, in characters: what each participant has to pass on.
    private static let maxLength = 512
    /// The length in characters of members that are removed first if the list is too long (§3.3.1.5).
    private static let longMember = 128

    /// Returns the list that is passed on: the members of all fields, without those that are too many.
    ///
    /// - Returns: An empty text if a member is not valid.
    static func text(of values: [String]) -> String {
        guard !values.isEmpty else { return "" }
        var members: [Substring.UTF8View] = []
        var keys: Set<[UInt8]> = []
        for member in values.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }) {
            let member = member.trimmingBlanks()
            guard !member.isEmpty else { continue }
            guard members.count < maxMembers, let key = key(of: member) else { return "" }
            // The first one is the newest.
            if keys.insert(key).inserted { members.append(member) }
        }
        return members.shortened(to: maxLength, removingFirst: longMember)
            .map { String(Substring($0)) }.joined(separator: ",")
    }

    /// Returns the key of a member; `nil` if the member is not valid.
    private static func key(of member: Substring.UTF8View) -> [UInt8]? {
        guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = member[member.index(after: equals)...]
        guard (1...256).contains(value.count),
            value.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") })
        else { return nil }
        let key = Array(member[..<equals])
        let parts = key.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let isValid =
            switch parts.count {
            case 1: isName(parts[0], maxLength: 256, mayBeginWithDigit: false)
            case 2:
                isName(parts[0], maxLength: 241, mayBeginWithDigit: true)
                    && isName(parts[1], maxLength: 14, mayBeginWithDigit: false)
            default: false
            }
        return isValid ? key : nil
    }

    /// Returns true for a part of a key: lower-case letters, digits and `_-*/`, of which the first is a letter.
    private static func isName(_ name: ArraySlice<UInt8>, maxLength: Int, mayBeginWithDigit: Bool) -> Bool {
        guard (1...maxLength).contains(name.count), let first = name.first else { return false }
        guard isLowerCase(first) || mayBeginWithDigit && first.isASCIIDigit else { return false }
        return name.allSatisfy { isLowerCase($0) || $0.isASCIIDigit || "_-*/".utf8.contains($0) }
    }

    private static func isLowerCase(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}

extension [Substring.UTF8View] {
    /// Returns the members of a list that fit into a length, with commas between them.
    ///
    /// Members longer than `long` are removed first, then those at the end, which are the oldest.
    fileprivate func shortened(to maxLength: Int, removingFirst long: Int) -> Self {
        var members = self
        var length = members.reduce(members.count - 1) { $0 + $1.count }
        for index in indices.reversed() where length > maxLength && self[index].count > long {
            length -= members.remove(at: index).count + 1
        }
        while length > maxLength, let last = members.popLast() { length -= last.count + 1 }
        return members
    }
}

extension Substring.UTF8View {
    /// Returns the text without spaces and tabs at its ends.
    fileprivate func trimmingBlanks() -> Substring.UTF8View {
        var text = self
        while let first = text.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}

import ErrandText
import HTTPTypes

/// A parser of the lines that precede the content of a response.
///
/// It skips informational responses (1xx) and drops trailers. It is lenient with servers: it drops a field whose name
/// is not a token, reads a value that is not UTF-8 as ISO 8859-1, and joins a folded line to the preceding one (RFC
/// 9112 §5.2), except in a field that determines the content length. Size is limited; trailers count towards the limits
/// because the transport retains them.
///
/// The values of two fields are sent back to servers, and must not change on the way:
///
/// | field | value | result |
/// | --- | --- | --- |
/// | `Location` | not UTF-8 | each byte beyond ASCII is percent-encoded |
/// | `Location` | with a control character | still has one, so that it is not a URL |
/// | `Set-Cookie` | not UTF-8, or with a control character other than a tab | the field is dropped |
package struct ResponseHeadParser: Sendable {
    /// The maximum number of bytes of all lines together, including informational responses and trailers.
    package static let maxBytes = 262_144
    /// The maximum number of fields of a head with its trailers.
    package static let maxFields = 1_024
    /// The number of fields for which memory is reserved; most heads have fewer.
    private static let usualFields = 16

    /// The result of consuming a line.
    package enum Event: Sendable, Hashable {
        /// A part of a head, or an ignored line.
        case more
        /// The final head is complete.
        case head(ResponseHead)
        /// The head is invalid; the parser accepts no more lines.
        case failed(TransferError)
    }

    private enum State {
        case expectingStatusLine
        case readingFields
        /// After the final head; the number of fields so far, including those of the head.
        case readingTrailers(fields: Int)
        case failed
    }

    private var state = State.expectingStatusLine
    private var bytes = 0
    // The parts of the head being read, stored separately so that the fields are appended in place.
    private var status = 0
    private var reason = ""
    private var version = ""
    private var headers = HTTPFields()
    /// True if the last field was dropped, and so are the folded lines that follow.
    private var isDropped = false

    /// Creates a parser that expects a status line.
    package init() {}

    /// Resets the parser, because the request is sent again.
    package mutating func reset() {
        self = Self()
    }

    /// Consumes one line, with or without its line end.
    package mutating func consume(_ line: Span<UInt8>) -> Event {
        if case .failed = state { return .more }
        bytes += line.count
        guard bytes <= Self.maxBytes else {
            return fail("The head of the response, with its trailers, is larger than 256 KiB")
        }
        if case .readingTrailers(let fields) = state { return consumeTrailer(number: fields + 1) }
        let line = line.extracting(0..<endOfContent(line))
        if startsStatusLine(line) { return consumeStatusLine(line) }
        guard case .readingFields = state else { return .more }
        guard line.isEmpty else { return consumeField(line) }
        guard status >= 200 else {
            // What follows is another protocol, which no request of this package asks for (RFC 9110 §15.2.2).
            guard status != 101 else { return fail("The response switches to another protocol (101)") }
            state = .expectingStatusLine
            return .more
        }
        state = .readingTrailers(fields: headers.count)
        return .head(ResponseHead(status: status, reason: reason, version: version, headers: headers))
    }

    private mutating func consumeTrailer(number: Int) -> Event {
        guard number <= Self.maxFields else { return failForFields() }
        state = .readingTrailers(fields: number)
        return .more
    }

    private mutating func failForFields() -> Event {
        fail("The head of the response, with its trailers, has more than \(Self.maxFields) fields")
    }

    private mutating func fail(_ message: String) -> Event {
        state = .failed
        return .failed(TransferError(.cannotParseResponse, message))
    }

    // MARK: Status line

    private func startsStatusLine(_ line: Span<UInt8>) -> Bool {
        let prefix: StaticString = "HTTP/"
        guard line.count >= prefix.utf8CodeUnitCount else { return false }
        return line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
            && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
    }

    /// Parses `HTTP-version SP status-code SP [ reason-phrase ]` of RFC 9112 §4; servers often omit the last space.
    private mutating func consumeStatusLine(_ line: Span<UInt8>) -> Event {
        var index = 5
        while index < line.count, line[index] != UInt8(ascii: " ") { index += 1 }
        version = Self.text(line.extracting(5..<index))
        while index < line.count, line[index] == UInt8(ascii: " ") { index += 1 }
        status = 0
        let digits = index
        while index < line.count, line[index].isASCIIDigit, index - digits < 3 {
            status = status * 10 + Int(line[index] - UInt8(ascii: "0"))
            index += 1
        }
        guard index - digits == 3, status >= 100 else {
            return fail("The status line of the response is malformed")
        }
        reason = Self.text(line.extracting(Self.trimmed(line, from: index)))
        headers = HTTPFields()
        headers.reserveCapacity(Self.usualFields)
        isDropped = false
        state = .readingFields
        return .more
    }

    // MARK: Fields

    private mutating func consumeField(_ line: Span<UInt8>) -> Event {
        if line[0].isASCIIBlank { return unfold(line) }
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
        isDropped = true
        guard colon < line.count, let name = HTTPField.Name(Self.text(line.extracting(0..<colon))) else { return .more }
        let value = line.extracting(Self.trimmed(line, from: colon + 1))
        if name == .setCookie, !Self.isUnchanged(value) { return .more }
        isDropped = false
        guard headers.count < Self.maxFields else { return failForFields() }
        if name == .location {
            headers.append(HTTPField(name: name, lenientValue: Self.reference(value)))
        } else if headers.contains(name) || name == .cookie {
            headers.append(HTTPField(name: name, value: Self.text(value)))
        } else {
            // Equivalent to appending if the name is new, and several times as fast; but it would split "Cookie".
            headers[name] = Self.text(value)
        }
        return .more
    }

    private mutating func unfold(_ line: Span<UInt8>) -> Event {
        let rest = line.extracting(Self.trimmed(line))
        guard !isDropped, let last = headers.indices.last, !rest.isEmpty else { return .more }
        let field = headers[last]
        // Other readers of these lines may not unfold the field, and would see a different end of the content.
        guard field.name != .contentLength, field.name != .transferEncoding else {
            return fail("The field \(field.name.rawName) of the response is folded")
        }
        if field.name == .setCookie, !Self.isUnchanged(rest) {
            headers.remove(at: last)
            isDropped = true
        } else if field.name == .location {
            let value = Array("\(field.value) ".utf8) + Self.reference(rest)
            headers[last] = HTTPField(name: field.name, lenientValue: value)
        } else {
            headers[last] = HTTPField(name: field.name, value: "\(field.value) \(Self.text(rest))")
        }
        return .more
    }

    /// Returns true if a field can have this value as it is, and its text has the same octets.
    private static func isUnchanged(_ value: Span<UInt8>) -> Bool {
        guard let text = String(validating: value) else { return false }
        return !text.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }
    }

    /// Returns the value of a `Location`, from which no other URL can be read than the one that was sent.
    private static func reference(_ value: Span<UInt8>) -> [UInt8] {
        let isText = String(validating: value) != nil
        var reference: [UInt8] = []
        reference.reserveCapacity(value.count)
        for index in value.indices {
            let byte = value[index]
            if byte >= 0x80, !isText {
                PercentCoding.appendEscape(of: byte, to: &reference)
            } else if byte == 0 || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") {
                // Another control character: a field replaces these three by spaces, which are part of many URLs.
                reference.append(0x7F)
            } else {
                reference.append(byte)
            }
        }
        return reference
    }

    // MARK: Text

    /// Returns the index at which CR and LF begin, or the length of the line.
    private func endOfContent(_ line: Span<UInt8>) -> Int {
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return end
    }

    /// Returns the range of the bytes from an index on, without leading and trailing whitespace.
    private static func trimmed(_ bytes: Span<UInt8>, from first: Int = 0) -> Range<Int> {
        var start = first
        var end = bytes.count
        while start < end, bytes[start].isASCIIBlank { start += 1 }
        while end > start, bytes[end - 1].isASCIIBlank { end -= 1 }
        return start..<end
    }

    /// Decodes UTF-8, or ISO 8859-1 if the bytes are not valid UTF-8.
    private static func text(_ bytes: Span<UInt8>) -> String {
        if let text = String(validating: bytes) { return text }
        var scalars = String.UnicodeScalarView()
        for index in bytes.indices {
            scalars.append(Unicode.Scalar(bytes[index]))
        }
        return String(scalars)
    }
}

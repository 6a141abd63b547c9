import HTTPTypes

/// Makes a ``ResponseHead`` of the lines that come before the content of a response.
///
/// Informational responses (1xx) are passed over, and what comes after the final head (trailers) is ignored. Servers
/// are taken as they are: a field whose name is no token is dropped, a value that is not UTF-8 is read as ISO 8859-1, a
/// folded line is joined to the one before (RFC 9112 §5.2). Only size has limits.
public struct ResponseHeadParser: Sendable {
    /// The most bytes of all lines together, informational responses included.
    public static let maxBytes = 262_144
    /// The most fields of one head.
    public static let maxFields = 1_024
    /// Room for as many fields as most heads have.
    private static let usualFields = 16

    /// What a line was.
    public enum Event: Sendable, Hashable {
        /// A part of a head, or nothing of interest.
        case more
        /// The end of the final head.
        case head(ResponseHead)
        /// The head cannot be used; the parser takes nothing more.
        case failed(TransferError)
    }

    private enum State {
        case expectingStatusLine
        case readingFields
        case finished
    }

    private var state = State.expectingStatusLine
    private var bytes = 0
    // The parts of the head that is being read; apart, so that the fields grow in place.
    private var status = 0
    private var reason = ""
    private var version = ""
    private var headers = HTTPFields()

    /// Creates a parser that expects a status line.
    public init() {}

    /// Forgets everything: the request is sent again.
    public mutating func reset() {
        self = Self()
    }

    /// Takes one line, with or without its line end.
    public mutating func consume(_ line: Span<UInt8>) -> Event {
        if case .finished = state { return .more }
        bytes += line.count
        guard bytes <= Self.maxBytes else { return fail("The head of the response is larger than 256 KiB") }
        let line = line.extracting(0..<endOfContent(line))
        if startsStatusLine(line) { return consumeStatusLine(line) }
        guard case .readingFields = state else { return .more }
        guard line.isEmpty else {
            return append(line) ? .more : fail("The head of the response has more than \(Self.maxFields) fields")
        }
        guard status >= 200 else {
            state = .expectingStatusLine
            return .more
        }
        state = .finished
        return .head(ResponseHead(status: status, reason: reason, version: version, headers: headers))
    }

    private mutating func fail(_ message: String) -> Event {
        state = .finished
        return .failed(TransferError(.transportError, message))
    }

    // MARK: Status line

    private func startsStatusLine(_ line: Span<UInt8>) -> Bool {
        let prefix: StaticString = "HTTP/"
        guard line.count >= prefix.utf8CodeUnitCount else { return false }
        return line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
            && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
    }

    /// `HTTP-version SP status-code SP [ reason-phrase ]` of RFC 9112 §4; the last space is often missing.
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
        guard index - digits == 3, status >= 100 else { return fail("The status line of the response is malformed") }
        reason = Self.trimmedText(line.extracting(index...))
        headers = HTTPFields()
        headers.reserveCapacity(Self.usualFields)
        state = .readingFields
        return .more
    }

    // MARK: Fields

    /// Adds a field line.
    ///
    /// - Returns: `false` when there are too many.
    private mutating func append(_ line: Span<UInt8>) -> Bool {
        if Self.isBlank(line[0]) {
            unfold(Self.trimmedText(line))
            return true
        }
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
        guard colon < line.count, let name = HTTPField.Name(Self.text(line.extracting(0..<colon))) else { return true }
        guard headers.count < Self.maxFields else { return false }
        let value = Self.trimmedText(line.extracting((colon + 1)...))
        if headers.contains(name) || name == .cookie {
            headers.append(HTTPField(name: name, value: value))
        } else {
            // The same for a name that is new, and several times as fast; but "Cookie" would be split.
            headers[name] = value
        }
        return true
    }

    private mutating func unfold(_ text: String) {
        guard let last = headers.indices.last, !text.isEmpty else { return }
        let field = headers[last]
        headers[last] = HTTPField(name: field.name, value: "\(field.value) \(text)")
    }

    // MARK: Text

    /// Where the line ends without CR and LF.
    private func endOfContent(_ line: Span<UInt8>) -> Int {
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return end
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Without blanks around it.
    private static func trimmedText(_ bytes: Span<UInt8>) -> String {
        var start = 0
        var end = bytes.count
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        return text(bytes.extracting(start..<end))
    }

    /// UTF-8, or ISO 8859-1 where it is none.
    private static func text(_ bytes: Span<UInt8>) -> String {
        if let valid = try? UTF8Span(validating: bytes) { return String(copying: valid) }
        var scalars = String.UnicodeScalarView()
        for index in bytes.indices {
            scalars.append(Unicode.Scalar(bytes[index]))
        }
        return String(scalars)
    }
}

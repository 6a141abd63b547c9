import ErrandText

/// A scanner of header field lines, byte by byte, that records the framing of the content.
struct RequestFieldScanner: Sendable {
    /// The header fields that matter here.
    private enum Kind: UInt8 {
        case other, contentLength, transferEncoding, cookie
    }

    /// The length of the content, once a field has given it.
    private(set) var contentLength: UInt64?
    /// True if the content is chunked.
    private(set) var isChunked = false
    /// True if the last byte of the value has started another cookie.
    private(set) var hasNewCookie = false
    /// The number of bytes of the last value that libmicrohttpd copies.
    private(set) var copiedBytes = 0

    private var kind = Kind.other
    /// The first 24 bytes of the name in lower case, eight in a word.
    private var name: (UInt64, UInt64, UInt64) = (0, 0, 0)
    private var nameBytes = 0
    private var valueBytes = 0
    private var hasBegunValue = false
    private var number: UInt64 = 0

    private static let contentLengthName = packed("content-length")
    private static let transferEncodingName = packed("transfer-encoding")
    private static let cookieName = packed("cookie")
    private static let chunked = Array("chunked".utf8)

    // MARK: The name

    mutating func begin() {
        name = (0, 0, 0)
        nameBytes = 0
    }

    mutating func takeName(_ byte: UInt8) {
        Self.pack(byte.asciiLowercased, at: nameBytes, into: &name)
        nameBytes += 1
    }

    /// - Returns: The fault if the field must not occur here, or `nil`.
    mutating func endName(isTrailer: Bool) -> String? {
        valueBytes = 0
        hasBegunValue = false
        number = 0
        kind = .other
        copiedBytes = 0
        // Framing fields have no effect in a trailer section (RFC 9110 §6.5.1).
        guard !isTrailer, nameBytes <= 24 else { return nil }
        if name == Self.contentLengthName {
            kind = .contentLength
            guard contentLength == nil else { return RequestFault.repeatedLength }
        } else if name == Self.transferEncodingName {
            kind = .transferEncoding
            guard !isChunked else { return RequestFault.otherCoding }
        } else if name == Self.cookieName {
            kind = .cookie
        }
        return nil
    }

    private static func packed(_ text: StaticString) -> (UInt64, UInt64, UInt64) {
        var name: (UInt64, UInt64, UInt64) = (0, 0, 0)
        for (index, byte) in text.description.utf8.enumerated() { pack(byte, at: index, into: &name) }
        return name
    }

    private static func pack(_ byte: UInt8, at index: Int, into name: inout (UInt64, UInt64, UInt64)) {
        let part = UInt64(byte) << (UInt64(index & 7) * 8)
        switch index >> 3 {
        case 0: name.0 |= part
        case 1: name.1 |= part
        case 2: name.2 |= part
        default: break
        }
    }

    // MARK: The value

    /// True if the rest of the value has no meaning here, so that plain bytes need not be taken one by one.
    var skipsValue: Bool { kind == .other }

    /// Returns true if a byte is allowed in every value and does not end it.
    static func isPlain(_ byte: UInt8) -> Bool {
        byte != 0 && byte != ASCII.lineFeed && byte != ASCII.carriageReturn
    }

    /// - Returns: The fault of the byte, or `nil`.
    mutating func takeValue(_ byte: UInt8) -> String? {
        guard byte != 0, byte != ASCII.lineFeed else {
            return byte == 0
                ? "the value of a header field contains NUL" : "a line ends with a line feed without a carriage return"
        }
        guard hasBegunValue || !byte.isASCIIBlank else { return nil }
        hasBegunValue = true
        defer { valueBytes += 1 }
        switch kind {
        case .other:
            return nil
        case .contentLength:
            return takeLength(byte)
        case .transferEncoding:
            guard valueBytes < Self.chunked.count, byte.asciiLowercased == Self.chunked[valueBytes] else {
                return RequestFault.otherCoding
            }
            return nil
        case .cookie:
            hasNewCookie = byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",")
            return nil
        }
    }

    private mutating func takeLength(_ byte: UInt8) -> String? {
        guard byte.isASCIIDigit else { return RequestFault.malformedLength }
        guard let longer = number.appending(decimalDigit: byte), longer < UInt64(Int64.max) else {
            return "the header field Content-Length is too large a number"
        }
        number = longer
        return nil
    }

    /// - Returns: The fault of the value as a whole, or `nil`.
    mutating func endValue() -> String? {
        hasNewCookie = false
        switch kind {
        case .other:
            return nil
        case .contentLength:
            guard valueBytes > 0 else { return "the header field Content-Length is empty" }
            contentLength = number
            return nil
        case .transferEncoding:
            guard valueBytes == Self.chunked.count else {
                return RequestFault.otherCoding
            }
            isChunked = true
            return nil
        case .cookie:
            copiedBytes = valueBytes + RequestStreamValidator.bytesPerRecord
            return nil
        }
    }
}

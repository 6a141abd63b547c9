import ErrandText

/// A scanner of JSON tokens: the grammar of RFC 8259 below arrays and objects, shared by all readers.
struct JSONScanner {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let bytes: [UInt8]
    private(set) var index: Int

    /// Starts at the first byte after a byte order mark.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        index = bytes.starts(with: Self.byteOrderMark) ? 3 : 0
    }

    /// Starts at a byte inside the text.
    init(_ bytes: [UInt8], at index: Int) {
        self.bytes = bytes
        self.index = index
    }

    func error(_ reason: JSONSyntaxError.Reason) -> JSONSyntaxError {
        JSONSyntaxError(index >= bytes.count && reason != .empty ? .unexpectedEnd : reason, at: index, in: bytes)
    }

    func error(_ reason: JSONSyntaxError.Reason, at offset: Int) -> JSONSyntaxError {
        JSONSyntaxError(reason, at: offset, in: bytes)
    }

    var isAtEnd: Bool { index >= bytes.count }

    /// The current byte; at the end 0, which begins no token.
    @inline(__always)
    var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

    @inline(__always)
    mutating func advance() { index += 1 }

    @inline(__always)
    mutating func skipWhitespace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    // MARK: Literals and numbers

    mutating func literal(_ text: StaticString) throws(JSONSyntaxError) {
        for byte in text.description.utf8 {
            guard current == byte, !isAtEnd else { throw error(.expectedValue) }
            index += 1
        }
    }

    /// Scans a number: an optional minus, digits without a leading zero, a fraction, an exponent.
    mutating func number() throws(JSONSyntaxError) {
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") {
            index += 1
            // 01 would be two numbers, so it is rejected.
            guard !current.isASCIIDigit else { throw error(.badNumber) }
        } else {
            try digits()
        }
        if current == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
    }

    private mutating func digits() throws(JSONSyntaxError) {
        guard current.isASCIIDigit else { throw error(.badNumber) }
        while current.isASCIIDigit { index += 1 }
    }

    // MARK: Strings

    /// Scans a string, with its quotes.
    ///
    /// - Parameter checksSurrogates: True to reject unpaired surrogates, which the grammar permits but which are not
    ///   characters.
    /// - Returns: True if the string has escapes.
    mutating func string(checksSurrogates: Bool) throws(JSONSyntaxError) -> Bool {
        index += 1
        var hasEscapes = false
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape(checksSurrogates: checksSurrogates)
            case 0x20..<0x80:
                index += 1
            case 0x80...:
                try multibyte()
            default:
                throw error(.controlCharacter)
            }
        }
        throw error(.unexpectedEnd)
    }

    private mutating func escape(checksSurrogates: Bool) throws(JSONSyntaxError) {
        let start = index
        index += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            guard checksSurrogates, unit & 0xF800 == 0xD800 else { return }
            guard unit < 0xDC00, current == UInt8(ascii: "\\"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "u")
            else { throw error(.loneSurrogate, at: start) }
            index += 1
            guard try codeUnit() & 0xFC00 == 0xDC00 else { throw error(.loneSurrogate, at: start) }
        default:
            throw error(.badEscape)
        }
    }

    /// Scans `u` and four hexadecimal digits.
    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
        index += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(of: current), !isAtEnd else { throw error(.badEscape) }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    /// Scans one character of two to four bytes: the well-formed sequences of The Unicode Standard, table 3-7.
    private mutating func multibyte() throws(JSONSyntaxError) {
        let lead = bytes[index]
        let (count, second): (Int, ClosedRange<UInt8>)
        switch lead {
        case 0xC2...0xDF: (count, second) = (2, 0x80...0xBF)
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (count, second) = (3, 0x80...0xBF)
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (count, second) = (4, 0x80...0xBF)
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: throw error(.badUTF8, at: index)
        }
        guard index + count <= bytes.count, second.contains(bytes[index + 1]) else { throw error(.badUTF8, at: index) }
        for place in index + 2..<max(index + count, index + 2) where bytes[place] & 0xC0 != 0x80 {
            throw error(.badUTF8, at: index)
        }
        index += count
    }
}

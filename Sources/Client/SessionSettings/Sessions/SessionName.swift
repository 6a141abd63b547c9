import ErrandText

/// The rule for names of sessions.
package enum SessionName {
    /// Returns the reason to refuse a name, or `nil` if it is valid.
    ///
    /// Names appear in URLs, logs and metrics.
    package static func reasonToRefuse(_ name: String) -> String? {
        guard !isName(name) else { return nil }
        let similar = String(name.lowercased().map { $0 == " " || $0 == "." ? "_" : $0 })
        return isName(similar) ? "\(expectation); did you mean \(similar)?" : expectation
    }

    /// The message for a text that is not a name.
    package static let expectation =
        "expected a name: a lower-case letter, then up to 63 lower-case letters, digits, _ and -"

    /// Returns true if the text has the form of a name.
    package static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= 64, let first = text.utf8.first else { return false }
        return isLetter(first) && text.utf8.allSatisfy(isWord)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}

import ErrandText

/// The `boundary` of RFC 2046 §5.1.1, which separates the parts of a multipart body.
package enum MultipartBoundaryText {
    /// Returns true if the text is 1 to 70 of the allowed characters and does not end with a space.
    package static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.allSatisfy(isCharacter) && text.utf8.last != UInt8(ascii: " ")
    }

    /// Returns true if the byte is a `bchar`.
    private static func isCharacter(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || punctuation.contains(byte)
    }

    private static let punctuation = ASCIISet("'()+_,-./:=? ")
}

/// The result of decoding bytes in a charset.
package struct DecodedText: Sendable, Hashable {
    /// The text, without a byte order mark.
    package var text: String
    /// The charset of the bytes.
    package var charset: Charset
    /// A Boolean value that indicates whether the bytes are well-formed; if not, the text contains U+FFFD.
    package var isWellFormed: Bool
}

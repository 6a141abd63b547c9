/// The text that bytes mean in a charset.
package struct DecodedText: Sendable, Hashable {
    /// The text, without a byte order mark.
    package var text: String
    /// The charset that it has been read in.
    package var charset: Charset
    /// Whether the bytes are well-formed in the charset; where they are not, the text has U+FFFD.
    package var isWellFormed: Bool
}

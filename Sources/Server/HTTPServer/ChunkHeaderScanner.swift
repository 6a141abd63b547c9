import ErrandHTTPGrammar
import ErrandText

/// A scanner of the line before a chunk, byte by byte.
///
/// Reads the size of the chunk. Chunk extensions are ignored, but must be well-formed (RFC 9112 §7.1.1).
struct ChunkHeaderScanner: Sendable {
    /// The size of the chunk, in bytes.
    private(set) var size: UInt64 = 0
    private var phase = Phase.size
    private var lineBytes = 0
    /// The bytes of all chunk lines so far, without their sizes.
    private var extensionBytes = 0

    private enum Phase: UInt8 {
        case size
        /// After `;`, before the name.
        case beforeName
        case name
        /// In the whitespace after a name; `=` or `;` must follow.
        case afterName
        /// After `=`, before the value.
        case beforeValue
        case token, quoted, quotedPair
        /// After a quoted value.
        case afterQuoted
        /// In the whitespace after a value; `;` must follow.
        case afterValue
    }

    /// The longest line of one chunk, in bytes.
    private static let maxLineBytes = 1024
    /// The longest extensions of all chunks of a request together, in bytes.
    private static let maxExtensionBytes = 16 * 1024

    /// Resets the scanner for the line of the next chunk.
    mutating func next() {
        let bytes = extensionBytes
        self = ChunkHeaderScanner()
        extensionBytes = bytes
    }

    /// Scans the next byte of the line, which is not CR.
    ///
    /// - Returns: The fault, or `nil`.
    mutating func take(_ byte: UInt8) -> String? {
        lineBytes += 1
        guard lineBytes <= Self.maxLineBytes else {
            return "the line before a chunk is longer than \(Self.maxLineBytes) bytes"
        }
        guard phase != .size else { return takeSize(byte) }
        extensionBytes += 1
        guard extensionBytes <= Self.maxExtensionBytes else {
            return "the chunk extensions are longer than \(Self.maxExtensionBytes) bytes"
        }
        guard let next = next(byte) else { return "a chunk extension is malformed" }
        phase = next
        return nil
    }

    /// Ends the line.
    ///
    /// - Returns: The fault if the line is incomplete, or `nil`.
    func end() -> String? {
        switch phase {
        case .size: lineBytes == 0 ? "a chunk has no size" : nil
        case .name, .token, .afterQuoted: nil
        case .beforeName, .afterName, .beforeValue, .quoted, .quotedPair, .afterValue:
            "a chunk extension is malformed"
        }
    }

    private mutating func takeSize(_ byte: UInt8) -> String? {
        if byte == UInt8(ascii: ";") {
            guard lineBytes > 1 else { return "a chunk has no size" }
            phase = .beforeName
            return nil
        }
        guard let digit = Hexadecimal.value(of: byte) else { return "the size of a chunk is not a hexadecimal number" }
        guard size <= UInt64(Int64.max) >> 4 else { return "the size of a chunk is too large a number" }
        size = size << 4 | UInt64(digit)
        return nil
    }

    /// Returns the phase after a byte, or `nil` if the byte is not allowed here.
    private func next(_ byte: UInt8) -> Phase? {
        let isBlank = byte.isASCIIBlank
        let isToken = Token.isTokenCharacter(byte)
        switch phase {
        case .size: return nil
        case .beforeName: return isBlank ? .beforeName : isToken ? .name : nil
        case .name, .afterName:
            if phase == .name, isToken { return .name }
            if byte == UInt8(ascii: "=") { return .beforeValue }
            return byte == UInt8(ascii: ";") ? .beforeName : isBlank ? .afterName : nil
        case .beforeValue:
            return isBlank ? .beforeValue : isToken ? .token : byte == UInt8(ascii: "\"") ? .quoted : nil
        case .quoted:
            if byte == UInt8(ascii: "\"") { return .afterQuoted }
            if byte == UInt8(ascii: "\\") { return .quotedPair }
            return ASCII.isText(byte) ? .quoted : nil
        case .quotedPair: return ASCII.isText(byte) ? .quoted : nil
        case .token, .afterQuoted, .afterValue:
            if phase == .token, isToken { return .token }
            return byte == UInt8(ascii: ";") ? .beforeName : isBlank ? .afterValue : nil
        }
    }
}

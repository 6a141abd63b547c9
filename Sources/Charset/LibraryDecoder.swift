import CIconv

/// A converter of the C library, from one encoding to UTF-8, for one text.
///
/// Owned here and closed with it.
struct LibraryDecoder: ~Copyable {
    private let converter: iconv_t
    private let encoding: LibraryEncoding

    /// Opens a converter; `nil` when the C library lacks the encoding, or the memory for it.
    init?(_ encoding: LibraryEncoding) {
        guard let converter = ciconv_open(encoding.name) else { return nil }
        self.converter = converter
        self.encoding = encoding
    }

    deinit {
        iconv_close(converter)
    }

    /// Reads a whole text.
    ///
    /// Of a malformed sequence only the first byte is passed over, so that no ASCII character behind it is lost
    /// (Encoding Standard §4.1: a lead byte that swallows a quote is how markup gets past a filter).
    consuming func decode(_ bytes: ArraySlice<UInt8>) -> (text: String, isWellFormed: Bool) {
        var output = Output()
        var isWellFormed = true
        bytes.withUnsafeBytes { input in
            let input = input.bindMemory(to: CChar.self)
            var position = 0
            while position < input.count {
                let problem = output.withRoom { room, written in
                    ciconv_convert(
                        converter, input.baseAddress, input.count, &position, room.baseAddress, room.count, &written)
                }
                if problem == 0 { break }
                if problem == ciconv_E2BIG { continue }
                if encoding.kind != .escaped { finish(&output) }
                let isIllegal = problem == ciconv_EILSEQ && position < input.count
                let scalar = isIllegal ? encoding.replacement(for: UInt8(bitPattern: input[position])) : "\u{FFFD}"
                output.append(scalar)
                if scalar == "\u{FFFD}" { isWellFormed = false }
                // Anything but an illegal sequence is one that has no end: the text is over.
                position = isIllegal ? position + 1 : input.count
            }
        }
        finish(&output)
        return (output.text, isWellFormed)
    }

    /// Has the converter give away the character that it may have kept back to combine it with the next one.
    ///
    /// It forgets the set of characters that it is in, too.
    private borrowing func finish(_ output: inout Output) {
        _ = output.withRoom { room, written in ciconv_finish(converter, room.baseAddress, room.count, &written) }
    }
}

/// UTF-8 that a converter writes.
private struct Output {
    private var bytes: [UInt8] = []
    private var room = [UInt8](repeating: 0, count: 16 << 10)

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Lends `body` empty room for many characters and keeps what it has written there.
    mutating func withRoom(_ body: (UnsafeMutableBufferPointer<CChar>, inout Int) -> CInt) -> CInt {
        var written = 0
        let result = room.withUnsafeMutableBytes { body($0.bindMemory(to: CChar.self), &written) }
        bytes += room.prefix(written)
        return result
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        bytes.append(contentsOf: String(scalar).utf8)
    }
}

import CErrandIconv

/// A converter of the C library from one encoding to UTF-8, for one text.
///
/// `deinit` closes it.
struct LibraryDecoder: ~Copyable {
    private let converter: iconv_t
    private let encoding: LibraryEncoding

    /// Opens a converter; returns `nil` if the C library lacks the encoding, or the memory for it.
    init?(_ encoding: LibraryEncoding) {
        guard let converter = ciconv_open(encoding.name) else { return nil }
        self.converter = converter
        self.encoding = encoding
    }

    deinit {
        iconv_close(converter)
    }

    /// Decodes a whole text.
    ///
    /// Only the first byte of a malformed sequence is skipped, so that no ASCII character after it is lost (Encoding
    /// Standard §4.1: a lead byte that swallows a quote can carry markup past a filter).
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
                // Any other error is an incomplete sequence at the end of the text.
                position = isIllegal ? position + 1 : input.count
            }
        }
        finish(&output)
        return (output.text, isWellFormed)
    }

    /// Flushes the character that the converter may have kept to combine it with the next one.
    ///
    /// This also resets the converter's active character set.
    private borrowing func finish(_ output: inout Output) {
        _ = output.withRoom { room, written in ciconv_finish(converter, room.baseAddress, room.count, &written) }
    }
}

/// The UTF-8 output of a converter.
private struct Output {
    private var bytes: [UInt8] = []
    private var room = [UInt8](repeating: 0, count: 16 << 10)

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Passes an empty buffer to `body` and keeps the bytes that it writes.
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

import ErrandCompression

extension FuzzTarget {
    /// Fuzzes coded content.
    ///
    /// The result does not depend on the pieces, truncation is detected, and encoding and decoding round-trip.
    static let contentCoding = FuzzTarget("content-coding", maxBytes: 4096) { input in
        guard let first = input.first else { return }
        let content = Array(input.dropFirst())
        let codings = codingLists[Int(first) % codingLists.count]
        let whole = DecodedContent(content, as: codings, pieceBytes: content.count)
        for pieceBytes in [1, 13] {
            let pieces = DecodedContent(content, as: codings, pieceBytes: pieceBytes)
            // The position at which decoding stops at the limit depends on the pieces.
            guard !whole.isBeyondLimit, !pieces.isBeyondLimit else { continue }
            try expect(pieces.isRefused == whole.isRefused, "content is refused however it arrives")
            guard !whole.isRefused else { continue }
            try expect(pieces.bytes == whole.bytes, "content is the same however it arrives")
            try expect(pieces.isWhole == whole.isWhole, "the end is seen however it arrives")
        }
        for coding in ContentCoding.allCases {
            let coded = try coding.encode(content)
            let decoded = DecodedContent(coded, as: coding.rawValue, pieceBytes: 100)
            try expect(decoded.bytes == content && decoded.isWhole, "what was encoded is read back")
            let cut = DecodedContent(coded.dropLast(1 + Int(first) % coded.count), as: coding.rawValue, pieceBytes: 100)
            try expect(!cut.isRefused && (!cut.isWhole || !cut.hasContent), "the end of cut content is missed")
        }
    }

    private static let codingLists = [
        "gzip", "deflate", "deflate, gzip", "gzip, gzip", "x-gzip, identity", "gzip, gzip, gzip, deflate, gzip", "br",
        "gzip, gzip, gzip, gzip, gzip, gzip",
    ]
}

/// The result of decoding content that arrives in pieces.
private struct DecodedContent {
    /// The most bytes that are decoded.
    static let maxBytes = 1 << 20

    var bytes: [UInt8] = []
    var isRefused = false
    var isWhole = false
    var isBeyondLimit = false
    var hasContent: Bool

    init(_ content: some Collection<UInt8>, as codings: String, pieceBytes: Int) {
        var rest = Array(content)[...]
        hasContent = !rest.isEmpty
        guard let decoder = ContentDecoder(codings) else { return }
        do throws(ContentDecodingError) {
            while !rest.isEmpty, !isBeyondLimit {
                try decode(Array(rest.prefix(pieceBytes)), with: decoder)
                rest = rest.dropFirst(pieceBytes)
            }
            isWhole = decoder.missingEnd == nil
        } catch {
            isRefused = true
        }
    }

    /// Decodes a piece, stopping after each piece of output like a receiver without room.
    private mutating func decode(_ piece: [UInt8], with decoder: ContentDecoder) throws(ContentDecodingError) {
        var taken = 0
        while !isBeyondLimit {
            var decoded: [UInt8] = []
            // Safe: bytes have no padding, and the pieces are copied while their spans are borrowed.
            let isDone = try unsafe decoder.decode(piece.span.bytes, taken: &taken) { output in
                unsafe output.withUnsafeBytes { unsafe decoded.append(contentsOf: $0) }
                return false
            }
            bytes += decoded
            isBeyondLimit = bytes.count > Self.maxBytes
            if isDone { return }
        }
    }
}

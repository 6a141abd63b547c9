import ErrandHTTPGrammar

/// A decoder of the content codings of one message, while its bytes arrive (RFC 9110 §8.4).
///
/// Supports `gzip` (and `x-gzip`), `deflate` (the zlib format, and the raw deflate that some servers send instead), and
/// lists of them up to ``maxCodings``. `identity` needs no decoding.
///
/// A coding has an end mark, and content without it is damaged: see ``missingEnd``. Gzip content may have several
/// members, which are joined (RFC 1952 §2.2), and zero padding after the last one; any other byte after the end is an
/// error.
///
/// Output is delivered in pieces of at most ``pieceBytes``, and decoding can stop after each piece: memory stays below
/// 60 KiB for each coding, however large the content becomes. Bytes between two codings can be far more than those on
/// the wire, and none of them may become content, so decoding also stops after ``maxInnerBytes`` of them, and fails
/// after ``maxBytesWithoutContent``. Not thread-safe.
package final class ContentDecoder {
    /// The most codings of one content, the same limit as in libcurl.
    package static let maxCodings = 5
    /// The largest piece that is delivered, in bytes.
    package static let pieceBytes = 16_384
    /// The most bytes between two codings that one call decodes.
    package static let maxInnerBytes = 262_144
    /// The most coded bytes in succession that yield no content, as padding and empty members do.
    package static let maxBytesWithoutContent = 16 << 20

    /// The stages, one for each coding, in decoding order: the last applied coding first.
    private let stages: [InflateStage]
    /// The reason for which the content cannot be decoded, which is reported only if there is content.
    private let refusal: ContentDecodingError?
    /// The number of bytes that were decoded since the last content, in all codings together.
    private var bytesWithoutContent = 0

    /// Creates the decoder of one message.
    ///
    /// - Parameter contentEncoding: The values of its `Content-Encoding` fields, joined by commas.
    /// - Returns: `nil` if they name no coding, so that no decoding is needed.
    package init?(_ contentEncoding: String) {
        var stages: [InflateStage] = []
        for name in contentEncoding.split(separator: ",") {
            let name = name.trimmingOptionalWhitespace().lowercased()
            switch name {
            case "", "identity", "none":
                continue
            case "gzip", "x-gzip":
                stages.append(InflateStage(.gzip))
            case "deflate":
                stages.append(InflateStage(.deflate))
            default:
                self.stages = []
                refusal = .unknownCoding(name)
                return
            }
        }
        guard !stages.isEmpty else { return nil }
        let isTooMany = stages.count > Self.maxCodings
        self.stages = isTooMany ? [] : stages.reversed()
        refusal = isTooMany ? ContentDecodingError("The content has more than \(Self.maxCodings) codings") : nil
    }

    /// Returns true if all codings that a request offers can be decoded (RFC 9110 §12.5.3).
    ///
    /// - Parameter acceptEncoding: The value of its `Accept-Encoding` field.
    package static func decodesAll(offeredBy acceptEncoding: String) -> Bool {
        acceptEncoding.split(separator: ",").allSatisfy { item in
            let parts = item.split(separator: ";").map { $0.trimmingOptionalWhitespace().lowercased() }
            guard let coding = parts.first, !decodable.contains(coding) else { return true }
            // A quality of zero refuses the coding.
            return parts.dropFirst().contains { parameter in
                parameter.hasPrefix("q=0") && parameter.dropFirst("q=0".count).allSatisfy { "0.".contains($0) }
            }
        }
    }

    /// The names of the codings that need no decoding, or can be decoded.
    private static let decodable: Set<String> = ["", "identity", "gzip", "x-gzip", "deflate"]

    /// Decodes the next bytes of the content.
    ///
    /// - Parameters:
    ///   - input: The bytes. After a call that was stopped, pass the same bytes again, with any later ones appended.
    ///   - taken: The number of bytes already decoded; 0 at first.
    ///   - deliver: Receives a non-empty piece; returns `false` to stop after it.
    /// - Returns: True if all of the input is decoded; `false` if the call was stopped, by `deliver` or because it has
    ///   decoded enough.
    package func decode(
        _ input: RawSpan, taken: inout Int, deliver: (RawSpan) -> Bool
    ) throws(ContentDecodingError) -> Bool {
        // Typed errors cannot pass through the standard library's closures.
        let result = input.withUnsafeBytes { bytes -> Result<Bool, ContentDecodingError> in
            do throws(ContentDecodingError) {
                return .success(try decode(bytes, taken: &taken, deliver: deliver))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The error if the content ends here, or `nil` if it is complete.
    ///
    /// Empty content is complete.
    package var missingEnd: ContentDecodingError? {
        guard let first = stages.first, first.hasBegun else { return nil }
        guard let unfinished = stages.first(where: { $0.hasBegun && !$0.isAtEnd }) else { return nil }
        return ContentDecodingError(
            "The content ends in the middle of its \(unfinished.coding.rawValue) coding, which has no end")
    }

    private func decode(
        _ input: UnsafeRawBufferPointer, taken: inout Int, deliver: (RawSpan) -> Bool
    ) throws(ContentDecodingError) -> Bool {
        if let refusal, !input.isEmpty { throw refusal }
        let last = stages.count - 1
        var index = last
        var innerBytes = 0
        while index >= 0 {
            guard innerBytes < Self.maxInnerBytes else { return false }
            let rest =
                index == 0
                ? UnsafeRawBufferPointer(rebasing: input.dropFirst(taken)) : stages[index - 1].output
            guard !rest.isEmpty || stages[index].mayHaveMore else {
                // The previous stage must deliver more first; the first stage gets more from the caller.
                index -= 1
                continue
            }
            let count = try stages[index].inflate(rest)
            if index == 0 {
                taken += count
            } else {
                stages[index - 1].dropOutput(count)
                innerBytes += count
            }
            bytesWithoutContent += count
            guard bytesWithoutContent <= Self.maxBytesWithoutContent else { throw .withoutContent }
            guard !stages[index].output.isEmpty else { continue }
            guard index == last else {
                index += 1
                continue
            }
            bytesWithoutContent = 0
            let goesOn = deliver(stages[last].output.bytes)
            stages[last].dropOutput(stages[last].output.count)
            guard goesOn else { return false }
        }
        return true
    }
}

/// A fault of coded content.
package struct ContentDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault and the expectation: one sentence without a full stop, safe to show.
    package var description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ContentDecodingError {
    fileprivate static let withoutContent = Self(
        "The content has more than \(ContentDecoder.maxBytesWithoutContent >> 20) MiB of coded bytes that stand for nothing"
    )

    /// Returns the error of a coding that was not offered.
    fileprivate static func unknownCoding(_ name: String) -> Self {
        let isShowable = name.utf8.count <= 32 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let coding = isShowable ? "\"\(name)\"" : "an unknown coding"
        return Self("The content is coded as \(coding), which was not offered; expected gzip or deflate")
    }
}

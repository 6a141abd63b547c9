import ErrandCompression
import Testing

@Suite("Content decoder")
struct ContentDecoderTests {
    private static let line = Array("Sphinx of black quartz, judge my vow\n".utf8)
    private static let text = Array(repeatElement(line, count: 3_000).joined())

    /// The result of decoding content in pieces of a size: the decoded bytes, and the error.
    struct Outcome: Equatable {
        var bytes: [UInt8] = []
        var error: String?
        /// The number of calls that have stopped by themselves.
        var stops = 0

        init(_ content: [UInt8], _ codings: String, pieceBytes: Int = .max) throws {
            let decoder = try #require(ContentDecoder(codings))
            do {
                var rest = content[...]
                while !rest.isEmpty {
                    let piece = Array(rest.prefix(pieceBytes))
                    var taken = 0
                    while try !decoder.decode(
                        piece.span.bytes, taken: &taken,
                        deliver: { output in
                            #expect(output.byteCount > 0 && output.byteCount <= ContentDecoder.pieceBytes)
                            output.withUnsafeBytes { bytes += $0 }
                            return true
                        })
                    {
                        stops += 1
                    }
                    #expect(taken == piece.count)
                    rest = rest.dropFirst(piece.count)
                }
                error = decoder.missingEnd?.description
            } catch {
                self.error = "\(error)"
            }
        }
    }

    /// Returns raw deflate without the zlib format, which some servers send as `deflate`.
    private static func bare(_ content: [UInt8]) throws -> [UInt8] {
        Array(try ContentCoding.deflate.encode(content).dropFirst(2).dropLast(4))
    }

    // MARK: Whole content

    @Test("Encoded content is decoded, whatever its pieces", arguments: ContentCodingTests.contents.indices)
    func roundTrip(index: Int) throws {
        let content = ContentCodingTests.contents[index].bytes
        for coding in ContentCoding.allCases {
            let coded = try coding.encode(content)
            for pieceBytes in [997, .max] {
                let outcome = try Outcome(coded, coding.rawValue, pieceBytes: pieceBytes)
                #expect(outcome.error == nil && outcome.bytes == content)
            }
        }
        let bare = try Outcome(Self.bare(content), "deflate", pieceBytes: 997)
        #expect(bare.error == nil && bare.bytes == content)
    }

    @Test("Content of several gzip members is joined (RFC 1952 §2.2), and zeros may follow", arguments: [1, 5, .max])
    func members(pieceBytes: Int) throws {
        let (first, empty) = (try ContentCoding.gzip.encode(Self.text), try ContentCoding.gzip.encode([]))
        let last = try ContentCoding.gzip.encode(Self.line)
        for padding in [0, 1, 1_000] {
            let coded = first + empty + last + [UInt8](repeating: 0, count: padding)
            let outcome = try Outcome(coded, "gzip", pieceBytes: pieceBytes)
            #expect(outcome.error == nil && outcome.bytes == Self.text + Self.line)
        }
    }

    @Test("Codings are decoded from the last to the first, in any case and spelling", arguments: [1, 10, .max])
    func lists(pieceBytes: Int) throws {
        let gzip = { try ContentCoding.gzip.encode($0) }
        let deflate = { try ContentCoding.deflate.encode($0) }
        for (list, coded) in [
            ("deflate, gzip", try gzip(deflate(Self.text))), ("gzip,deflate", try deflate(gzip(Self.text))),
            (" X-GZIP ,, identity,\tGzip ", try gzip(gzip(Self.text))),
            ("gzip, deflate, gzip, deflate, gzip", try gzip(deflate(gzip(deflate(gzip(Self.text)))))),
        ] {
            let outcome = try Outcome(coded, list, pieceBytes: pieceBytes)
            #expect(outcome.error == nil && outcome.bytes == Self.text, "\(list)")
        }
    }

    @Test("Content without a coding needs no decoder", arguments: ["", "identity", " , Identity", "none"])
    func nothing(list: String) {
        #expect(ContentDecoder(list) == nil)
    }

    @Test("Empty content is complete, whatever its coding", arguments: ["gzip", "deflate", "gzip, gzip", "br"])
    func empty(list: String) throws {
        #expect(try Outcome([], list).error == nil)
    }

    // MARK: Damaged content

    @Test("Content that is truncated anywhere has no end")
    func cut() throws {
        let content = Array(Self.text.prefix(3_000))
        for (list, coded) in [
            ("gzip", try ContentCoding.gzip.encode(content)), ("deflate", try ContentCoding.deflate.encode(content)),
            ("deflate", try Self.bare(content)),
            ("gzip", try ContentCoding.gzip.encode(Self.line) + ContentCoding.gzip.encode(content)),
            ("deflate, gzip", try ContentCoding.gzip.encode(ContentCoding.deflate.encode(content))),
        ] {
            let firstMember = list == "gzip" ? try ContentCoding.gzip.encode(Self.line).count : 0
            for count in 1..<coded.count where count != firstMember {
                let outcome = try Outcome(Array(coded.prefix(count)), list, pieceBytes: 100)
                let error = try #require(outcome.error, "\(list), \(count) of \(coded.count) bytes")
                #expect(error.contains("which has no end"))
                #expect((Self.line + content).starts(with: outcome.bytes) || content.starts(with: outcome.bytes))
            }
        }
    }

    @Test("The missing end of an inner coding is detected inside a complete outer one")
    func innerCut() throws {
        let inner = try ContentCoding.deflate.encode(Self.text)
        let coded = try ContentCoding.gzip.encode(Array(inner.dropLast()))
        #expect(try Outcome(coded, "deflate, gzip").error?.contains("deflate") == true)
    }

    @Test("Other bytes after the end are rejected", arguments: ["\n", "\0\0x", "\u{1F}x", "GIF89a"])
    func trailing(bytes: String) throws {
        for pieceBytes in [1, .max] {
            let gzip = try ContentCoding.gzip.encode(Self.line) + Array(bytes.utf8)
            #expect(try Outcome(gzip, "gzip", pieceBytes: pieceBytes).error != nil)
            let deflate = try ContentCoding.deflate.encode(Self.line) + Array(bytes.utf8)
            let error = try Outcome(deflate, "deflate", pieceBytes: pieceBytes).error
            #expect(error == "The content continues after the end of its deflate coding")
        }
    }

    @Test("Content with a wrong checksum, length or format is rejected")
    func damaged() throws {
        var coded = try ContentCoding.gzip.encode(Self.line)
        for index in coded.count - 8..<coded.count {
            coded[index] ^= 1
            let error = try Outcome(coded, "gzip").error
            #expect(error == "The content is damaged: it does not follow the format of its gzip coding")
            coded[index] ^= 1
        }
        #expect(try Outcome(Self.line, "gzip").error != nil)
        #expect(try Outcome([0x07], "deflate").error != nil, "a block of a type that there is not")
        // A preset dictionary (RFC 1950 §2.2), which no recipient has.
        #expect(try Outcome([0x78, 0xBB, 0, 0, 0, 1, 0], "deflate").error != nil)
    }

    @Test("Codings that were not offered, and more than five, are rejected at the first byte")
    func refused() throws {
        let error = "The content is coded as \"br\", which was not offered; expected gzip or deflate"
        #expect(try Outcome(Self.line, "gzip, BR").error == error)
        let long = String(repeating: "x", count: 33)
        for name in [long, "a\u{7}b", "é"] {
            #expect(try Outcome(Self.line, name).error?.contains("an unknown coding") == true)
        }
        let many = Array(repeating: "gzip", count: 6).joined(separator: ",")
        #expect(try Outcome(Self.line, many).error == "The content has more than 5 codings")
    }

    // MARK: Flow

    @Test("Decoding can stop after any piece and continue after it", arguments: ["gzip", "deflate, gzip"])
    func stops(list: String) throws {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        let inner = list == "gzip" ? zeros : try ContentCoding.deflate.encode(zeros)
        let coded = try ContentCoding.gzip.encode(inner)
        let decoder = try #require(ContentDecoder(list))
        var (taken, count, calls) = (0, 0, 0)
        // Each call but the last is stopped; later calls append more input.
        var offered = coded.count / 2
        while true {
            calls += 1
            let isDone = try decoder.decode(Array(coded.prefix(offered)).span.bytes, taken: &taken) { output in
                count += output.byteCount
                return false
            }
            guard isDone else { continue }
            if offered == coded.count { break }
            offered = coded.count
        }
        #expect(count == zeros.count && taken == coded.count)
        #expect(calls >= zeros.count / ContentDecoder.pieceBytes)
        #expect(decoder.missingEnd == nil)
    }

    /// Returns empty content with padding, in three codings.
    private static func nested(paddingMebibytes count: Int) throws -> [UInt8] {
        let inner = try ContentCoding.gzip.encode([]) + [UInt8](repeating: 0, count: count << 20)
        return try ContentCoding.gzip.encode(ContentCoding.gzip.encode(inner))
    }

    @Test("A few bytes that become many between two codings are decoded in steps, which end without content")
    func innerBytes() throws {
        let padded = try Outcome(Self.nested(paddingMebibytes: 2), "gzip, gzip, gzip")
        #expect(padded.error == nil && padded.bytes.isEmpty)
        #expect(padded.stops >= (2 << 20) / (2 * ContentDecoder.maxInnerBytes))
        let endless = try Self.nested(paddingMebibytes: 17)
        #expect(endless.count < 4096)
        let refused = try Outcome(endless, "gzip, gzip, gzip")
        #expect(refused.error == "The content has more than 16 MiB of coded bytes that stand for nothing")
    }

    @Test("Content in several codings that is far larger than its coded bytes is decoded")
    func large() throws {
        let content = [UInt8](repeating: 7, count: 20 << 20)
        let outcome = try Outcome(ContentCoding.gzip.encode(ContentCoding.deflate.encode(content)), "deflate, gzip")
        #expect(outcome.error == nil && outcome.bytes.count == content.count)
    }
}

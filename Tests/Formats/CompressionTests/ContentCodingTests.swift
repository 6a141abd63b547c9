import ErrandSupport
import Foundation
import Testing

@testable import ErrandCompression

@Suite("Content codings")
struct ContentCodingTests {
    /// Contents around the buffer sizes of the stream, with different entropy.
    static let contents: [(name: String, bytes: [UInt8])] = [
        ("nothing", []),
        ("one byte", [0x41]),
        ("a line of text", Array("Sphinx of black quartz, judge my vow\n".utf8)),
        ("a buffer of zeros", [UInt8](repeating: 0, count: 64 * 1024)),
        ("exactly one feeding of noise", noise(1024 * 1024)),
        ("one byte more than a feeding of noise", noise(1024 * 1024 + 1)),
        ("three feedings of noise", noise(3 * 1024 * 1024)),
        ("three feedings of zeros and a bit", [UInt8](repeating: 0, count: 3 * 1024 * 1024 + 7)),
    ]

    @Test("The system's gzip decodes gzip content", arguments: contents.indices)
    func systemGzipReads(index: Int) async throws {
        let content = Self.contents[index]
        let decoded = try await decode(ContentCoding.gzip.encode(content.bytes), with: "/usr/bin/gzip", ["-dc"])
        #expect(decoded == content.bytes, "\(content.name)")
    }

    @Test("Python's zlib decodes deflate content", arguments: contents.indices)
    func pythonReads(index: Int) async throws {
        let content = Self.contents[index]
        let program = "import sys, zlib; sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], 'rb').read()))"
        let decoded = try await decode(
            ContentCoding.deflate.encode(content.bytes), with: "/usr/bin/env", ["python3", "-c", program])
        #expect(decoded == content.bytes, "\(content.name)")
    }

    @Test("gzip is one member without a name and a time (RFC 1952 §2.3)")
    func gzipMember() throws {
        let member = try ContentCoding.gzip.encode(Array("hello, hello".utf8))
        #expect(member.prefix(8) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
        // The CRC-32 and the length of the content, from `printf 'hello, hello' | gzip | tail -c8`.
        #expect(member.suffix(8) == [0xFF, 0xC5, 0xCC, 0xF3, 12, 0, 0, 0])
    }

    @Test("deflate is the zlib format: a header that 31 divides and Adler-32 at the end (RFC 1950 §2.2)")
    func zlibFormat() throws {
        let content = Array("hello, hello".utf8)
        let coded = try ContentCoding.deflate.encode(content)
        #expect(coded[0] == 0x78)
        #expect((Int(coded[0]) << 8 | Int(coded[1])) % 31 == 0)
        var (low, high) = (1, 0)
        for byte in content {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        #expect(coded.suffix(4).map(Int.init) == [high >> 8, high & 0xFF, low >> 8, low & 0xFF])
    }

    @Test("Equal contents have equal codings", arguments: ContentCoding.allCases)
    func isDeterministic(coding: ContentCoding) throws {
        let content = Array(Self.noise(10_000).map { $0 & 0x0F })
        let coded = try coding.encode(content)
        #expect(try coding.encode(content) == coded)
        #expect(coded.count < content.count)
    }

    @Test(
        "An error describes the fault",
        arguments: [
            (-4, "there is not enough memory"),
            (-6, "the zlib of this machine is not compatible with the one that the program was built with"),
            (-2, "zlib failed with status -2"),
        ] as [(Int32, String)])
    func describesErrors(status: Int32, description: String) {
        #expect(CompressionError(status: status).description == description)
    }

    /// Returns incompressible bytes from a deterministic multiplicative generator.
    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    /// Decodes a file with another program.
    private func decode(_ coded: [UInt8], with program: String, _ arguments: [String]) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = try folder.write(coded, to: "coded.gz")
        let script = #"decoded=$1; shift; exec "$@" > "$decoded""#
        let process = try ChildProcess(
            "/bin/sh", ["-c", script, "sh", folder["decoded"], program] + arguments + [file])
        let result = await process.result()
        #expect(result.exit == .status(0), "\(result.errors)")
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder["decoded"])))
    }
}

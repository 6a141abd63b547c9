import ErrandCompression
import ErrandSupport
import Foundation
import Testing

@Suite("Content decoder and zlib")
struct ZlibAgreementTests {
    /// Decodes each line (a coding and content in hexadecimal) at once, and prints the content or the fault.
    private static let program = """
        import sys, zlib
        for line in open(sys.argv[1]):
            coding, text = line.split()
            data, result = bytes.fromhex(text), b""
            bits = 31 if coding == "gzip" else 15 if data[0] & 15 == 8 and data[0] >> 4 <= 7 else -15
            try:
                while True:
                    stream = zlib.decompressobj(bits)
                    result += stream.decompress(data)
                    if not stream.eof:
                        print("cut")
                        break
                    data = stream.unused_data
                    if coding == "gzip" and data[:1] == b"\\x1f":
                        continue
                    print("damaged" if data.strip(b"\\0") else "=" + result.hex())
                    break
            except zlib.error:
                print("damaged")
        """

    @Test("Both agree on thousands of mutated contents")
    func agree() async throws {
        var random = SystemRandomNumberGenerator()
        var cases: [(coding: String, content: [UInt8])] = []
        for number in 0..<TestBuild.rounds(4_000) {
            let coding = number % 2 == 0 ? ContentCoding.gzip : .deflate
            let length = Int.random(in: 0..<400, using: &random)
            let plain = (0..<length).map { _ in UInt8.random(in: 97...101, using: &random) }
            var coded = try coding.encode(plain)
            if number % 5 == 0 { coded += try coding.encode(plain) }
            if number % 7 == 0 { coded = Array(coded.dropFirst(2).dropLast(4)) }
            if number % 11 == 0 { coded += [UInt8](repeating: 0, count: 9) }
            if number % 3 == 0, let index = coded.indices.randomElement(using: &random) {
                coded[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            if number % 4 == 0 { coded = Array(coded.prefix(Int.random(in: 1...coded.count, using: &random))) }
            cases.append((coding.rawValue, coded))
        }
        let lines = cases.map { "\($0.coding) \($0.content.hexadecimal)\n" }.joined()
        let truth = try await Self.run(lines).split(separator: "\n").map(String.init)
        try #require(truth.count == cases.count)
        var kinds: Set<Character> = []
        for (one, expected) in zip(cases, truth) {
            let outcome = try ContentDecoderTests.Outcome(one.content, one.coding, pieceBytes: 37)
            let found =
                switch outcome.error {
                case nil: "=" + outcome.bytes.hexadecimal
                case let error? where error.contains("no end"): "cut"
                case _?: "damaged"
                }
            #expect(found == expected, "\(one.coding) \(one.content.hexadecimal)")
            kinds.formUnion(expected.prefix(1))
        }
        #expect(kinds == ["=", "c", "d"])
    }

    private static func run(_ input: String) async throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write(input, to: "contents")
        let result = try await ChildProcess("/usr/bin/env", ["python3", "-c", program, file]).result()
        #expect(result.exit == .status(0), "\(result.errors)")
        return result.output
    }
}

extension [UInt8] {
    /// Two digits for each byte.
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

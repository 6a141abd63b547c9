import ErrandCryptography
import ErrandText
import Testing

@Suite("SHA256")
struct SHA256Tests {
    /// NIST's examples (FIPS 180-4; SHA256.pdf, and the million letters of SHA256LongMsg).
    static let examples: [(String, String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    @Test("The published examples have the expected digests, in one piece and in many", arguments: examples)
    func published(text: String, digest: String) {
        let bytes = Array(text.utf8)
        #expect(Hexadecimal.encode(SHA256.hash(bytes)) == digest)
        for size in [1, 7, 64, 100_000] {
            var hash = SHA256()
            var start = 0
            while start < bytes.count {
                let end = min(start + size, bytes.count)
                hash.update(bytes.span.bytes.extracting(start..<end))
                start = end
            }
            #expect(Hexadecimal.encode(hash.finish()) == digest)
        }
    }

    @Test("Digests on many threads are independent")
    func concurrent() async {
        let digests = await withTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var hash = SHA256()
                    for _ in 0..<1000 { hash.update([UInt8](repeating: 0x61, count: 1000)) }
                    return hash.finish()
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(digests.map { Hexadecimal.encode($0) } == [Self.examples[3].1])
    }
}

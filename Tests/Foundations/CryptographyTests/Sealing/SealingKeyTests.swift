import Testing

@testable import ErrandCryptography

@Suite("SealingKey")
struct SealingKeyTests {
    /// C2SP, "XAES-256-GCM", test vectors: the first key has the high bit of its CMAC block clear, the second set.
    static let examples: [(key: UInt8, plaintext: String, additionalData: String, box: String)] = [
        (0x01, "XAES-256-GCM", "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        (
            0x03, "XAES-256-GCM", "c2sp.org/XAES-256-GCM",
            "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"
        ),
    ]

    @Test("The keys of messages are those of XAES-256-GCM", arguments: examples)
    func published(key: UInt8, plaintext: String, additionalData: String, box: String) throws {
        let key = try SealingKey([UInt8](repeating: key, count: 32))
        let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)
        let sealed = try AES256GCM.seal(
            Array(plaintext.utf8), key: key.messageKey(nonce: nonce[..<12]), nonce: Array(nonce[12...]),
            additionalData: Array(additionalData.utf8))
        #expect(sealed == [UInt8](hex: box))
    }

    @Test("A key has 32 bytes", arguments: [0, 1, 16, 31, 33, 64])
    func length(count: Int) {
        let error = #expect(throws: SealingError.self) { try SealingKey([UInt8](repeating: 1, count: count)) }
        #expect(error?.code == .badKey)
        #expect(error?.message.contains("\(count)") == true)
    }

    @Test("Its identifier is stable, differs from that of other keys, and is not a part of the key")
    func identifier() throws {
        let bytes = [UInt8](0..<32)
        let id = try SealingKey(bytes).id
        #expect(try SealingKey(bytes).id == id)
        #expect(id.description.count == 16)
        #expect(id.description.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        for index in 0..<32 {
            var other = bytes
            other[index] ^= 1
            #expect(try SealingKey(other).id != id)
            #expect(!bytes[index...].starts(with: id.bytes))
        }
    }

    @Test("Descriptions and reflection do not show it")
    func hidden() throws {
        let bytes = Array("0123456789abcdef0123456789ABCDEF".utf8)
        let key = try SealingKey(bytes)
        var dumped = ""
        dump(key, to: &dumped)
        dump(SealingKeyring([key]), to: &dumped)
        let list = bytes[..<4].map { "\($0)" }
        for text in [dumped, "\(key)", String(reflecting: key), "\(SealingKeyring([key]))"] {
            #expect(!text.contains("0123"))
            #expect(!text.contains("30313233"))
            #expect(!text.contains(list.joined(separator: ", ")))
            #expect(!text.contains("- \(list[0])\n"))
        }
        #expect("\(key)" == "sealing key \(key.id)")
    }
}

import Testing

@testable import ErrandCryptography

@Suite("AES256GCM")
struct AES256GCMTests {
    /// A published example.
    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var key: String
        var nonce: String
        var plaintext: String
        var additionalData = ""
        var ciphertext: String
        var tag: String
    }

    /// McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, test cases 13 to 16.
    static let examples = [
        Example(
            testDescription: "13", key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plaintext: "", ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Example(
            testDescription: "14", key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plaintext: String(repeating: "00", count: 16), ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Example(
            testDescription: "15", key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888",
            plaintext: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
                """,
            ciphertext: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad
                """,
            tag: "b094dac5d93471bdec1a502270e3cc6c"),
        Example(
            testDescription: "16", key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888",
            plaintext: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                """,
            additionalData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            ciphertext: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
                """,
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    @Test("The published examples have the expected ciphertexts and tags, and open again", arguments: examples)
    func published(_ example: Example) throws {
        let key = try MessageKey([UInt8](hex: example.key))
        let box = try AES256GCM.seal(
            [UInt8](hex: example.plaintext), key: key, nonce: [UInt8](hex: example.nonce),
            additionalData: [UInt8](hex: example.additionalData))
        #expect(box == [UInt8](hex: example.ciphertext + example.tag))
        let opened = try AES256GCM.open(
            box, key: key, nonce: [UInt8](hex: example.nonce), additionalData: [UInt8](hex: example.additionalData))
        #expect(opened == [UInt8](hex: example.plaintext))
    }

    @Test("Data shorter than a tag is not authentic, and a nonce of another length is rejected")
    func lengths() throws {
        let key = try MessageKey([UInt8](repeating: 7, count: 32))
        let nonce = [UInt8](repeating: 0, count: 12)
        for count in 0..<AES256GCM.tagByteCount {
            let short = [UInt8](repeating: 0, count: count)
            var code: SealingError.Code?
            do throws(SealingError) {
                _ = try AES256GCM.open(short, key: key, nonce: nonce, additionalData: [])
            } catch {
                code = error.code
            }
            #expect(code == .tampered)
        }
        var code: SealingError.Code?
        do throws(SealingError) {
            _ = try AES256GCM.seal([1], key: key, nonce: [1, 2, 3], additionalData: [])
        } catch {
            code = error.code
        }
        #expect(code == .unavailable)
    }
}

extension MessageKey {
    /// Creates the key of a published example, 32 bytes.
    fileprivate init(_ bytes: [UInt8]) throws(SealingError) {
        // Both have 32 bytes: `copyBytes` traps otherwise.
        try unsafe self.init { key in unsafe key.copyBytes(from: bytes) }
    }
}

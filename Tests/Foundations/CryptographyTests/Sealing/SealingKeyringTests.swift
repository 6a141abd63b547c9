import ErrandSupport
import Testing

@testable import ErrandCryptography

@Suite("SealingKeyring")
struct SealingKeyringTests {
    private static let first = [UInt8](repeating: 0x11, count: 32)
    private static let second = [UInt8](repeating: 0x22, count: 32)
    private static let context = Array("tasks.request/1".utf8)

    private static func ring(_ keys: [UInt8]...) throws -> SealingKeyring {
        try SealingKeyring(keys.map { bytes throws(SealingError) in try SealingKey(bytes) })
    }

    @Test("Sealed data opens again, whatever it is, and is longer by the overhead", arguments: 0..<20)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let ring = try Self.ring(Self.first)
        for _ in 0..<50 {
            let bytes = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let context = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let sealed = try ring.seal(bytes, context: context)
            #expect(sealed.count == bytes.count + SealedForm.overheadByteCount)
            #expect(SealedForm.isSealed(sealed))
            #expect(try ring.open(sealed, context: context) == bytes)
        }
    }

    @Test("A change of any byte, a missing or additional byte at the end, and another context are detected")
    func tampered() throws {
        let ring = try Self.ring(Self.first, Self.second)
        let text = Array("the quick brown fox".utf8)
        let sealed = try ring.seal(text, context: Self.context)
        for index in sealed.indices {
            for bit in 0..<8 {
                var other = sealed
                other[index] ^= 1 << UInt8(bit)
                let error = #expect(throws: SealingError.self) { try ring.open(other, context: Self.context) }
                let expected: SealingError.Code =
                    switch index {
                    case 0..<3: .notSealed
                    case 3: .tooNew
                    case 4..<12: .unknownKey
                    default: .tampered
                    }
                #expect(error?.code == expected, "byte \(index)")
            }
        }
        for count in 3..<sealed.count {
            let error = #expect(throws: SealingError.self) {
                try ring.open(Array(sealed[..<count]), context: Self.context)
            }
            #expect(error?.code == .tampered)
        }
        for context in [[], Array("tasks.request/2".utf8), Self.context + [0]] {
            let error = #expect(throws: SealingError.self) { try ring.open(sealed, context: context) }
            #expect(error?.code == .tampered)
        }
        let longer = #expect(throws: SealingError.self) { try ring.open(sealed + [0], context: Self.context) }
        #expect(longer?.code == .tampered)
        #expect(try ring.open(sealed, context: Self.context) == text)
    }

    @Test("Sealed bytes cannot be assigned to another key by their identifier")
    func otherKey() throws {
        let ring = try Self.ring(Self.first, Self.second)
        var sealed = try ring.seal([1, 2, 3], context: [])
        sealed.replaceSubrange(4..<12, with: ring.keyIDs[1].bytes)
        let error = #expect(throws: SealingError.self) { try ring.open(sealed, context: []) }
        #expect(error?.code == .tampered)
    }

    @Test("The first key seals and all open; without its key a value names the required key")
    func rotation() throws {
        let old = try Self.ring(Self.first)
        let rotated = try Self.ring(Self.second, Self.first)
        let later = try Self.ring(Self.second)
        let before = try old.seal([1], context: [])
        let after = try rotated.seal([2], context: [])
        #expect(try SealedForm(before).keyID == old.keyIDs[0])
        #expect(try SealedForm(after).keyID == later.keyIDs[0])
        #expect(try rotated.open(before, context: []) == [1])
        #expect(try later.open(after, context: []) == [2])
        for ring in [later, SealingKeyring()] {
            let error = #expect(throws: SealingError.self) { try ring.open(before, context: []) }
            #expect(error?.code == .unknownKey)
            #expect(error?.keyID == old.keyIDs[0])
            #expect(error?.message.contains("\(old.keyIDs[0])") == true)
        }
    }

    @Test("A keyring without keys seals nothing, and reports that text is not sealed")
    func empty() throws {
        let ring = SealingKeyring()
        #expect(!ring.canSeal)
        #expect(throws: SealingError(.noKey, "There is no key to seal with")) { try ring.seal([1], context: []) }
        for text in ["", "{}", "\u{0}", "\u{0}E", "plain"] {
            let error = #expect(throws: SealingError.self) { try ring.open(Array(text.utf8), context: []) }
            #expect(error?.code == .notSealed)
        }
    }

    @Test("The same text is sealed to different bytes each time, by many threads at once")
    func nonces() async throws {
        let ring = try Self.ring(Self.first)
        let text = Array("same".utf8)
        let all = try await withThrowingTaskGroup(of: [SealedForm].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try (0..<500).map { _ throws(SealingError) in try SealedForm(ring.seal(text, context: Self.context))
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(all.map(\.nonce)).count == 4000)
        #expect(Set(all.map(\.box)).count == 4000)
        for form in all { #expect(try ring.open(form.bytes, context: Self.context) == text) }
    }

    @Test("Without random bytes nothing is sealed", arguments: [nil, [], [UInt8](repeating: 0, count: 23)])
    func noRandomness(_ bytes: [UInt8]?) throws {
        let ring = SealingKeyring([try SealingKey(Self.first)]) { _ in bytes }
        let error = #expect(throws: SealingError.self) { try ring.seal([1], context: []) }
        #expect(error?.code == .noRandomness)
    }

    @Test("The system provides different random bytes each time, up to 256 at once")
    func system() {
        #expect(SystemRandomness.bytes(24)?.count == 24)
        #expect(SystemRandomness.bytes(24) != SystemRandomness.bytes(24))
        #expect(SystemRandomness.bytes(256)?.count == 256)
        #expect(SystemRandomness.bytes(257) == nil)
    }
}

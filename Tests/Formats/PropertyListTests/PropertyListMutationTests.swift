import ErrandPropertyList
import ErrandSupport
import Testing

@Suite("Hostile property lists")
struct PropertyListMutationTests {
    private static let limits = PropertyListLimits(maxNodes: 5000, maxContentBytes: 1 << 20)

    @Test("Any mutated property list is parsed or rejected", arguments: PropertyListFormat.allCases)
    func mutations(format: PropertyListFormat) {
        let whole = format == .binary ? PropertyListFixtures.binary : PropertyListFixtures.xml
        var generator = SplitMix64(seed: 8)
        var (accepted, refused) = (0, 0)
        let rounds = TestBuild.rounds(20_000)
        for _ in 0..<rounds {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.mutate(&bytes, &generator) }
            do throws(PropertyListError) {
                let document = try PropertyListDocument.parse(bytes, limits: Self.limits)
                accepted += PropertyListJSON.write(document.root).isEmpty ? 0 : 1
            } catch {
                refused += error.message.isEmpty ? 0 : 1
            }
        }
        #expect(accepted + refused == rounds)
        #expect(accepted > rounds / 200)
        #expect(refused > rounds / 200)
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        // The end, with the table and trailer of a binary one, is mutated as often as all the rest.
        let start = Bool.random(using: &generator) ? max(0, bytes.count - 80) : 0
        let place = Int.random(in: start..<bytes.count, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 0...8, using: &generator))
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 2: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 3: bytes[place] = [0, 1, 0x0F, 0x7F, 0x80, 0xAF, 0xDF, 0xFF].randomElement(using: &generator) ?? 0
        default: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
    }
}

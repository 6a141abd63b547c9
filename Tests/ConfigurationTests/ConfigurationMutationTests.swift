import Testing

@testable import Configuration

@Suite("Damaged configurations")
struct ConfigurationMutationTests {
    @Test("However the sample is damaged, it is read or refused with problems that have a place")
    func mutations() throws {
        let sample = Array(try Sample.projectFile("config.yaml").utf8)
        var random = SplitMix64(seed: 2)
        let loader = Sample.loader(environment: ["A": "b"])
        var (read, refused) = (0, 0)
        for _ in 0..<5000 {
            let damaged = Self.damage(sample, &random)
            let outcome = Result { () throws(ConfigurationError) in try loader.load(damaged, file: "f") }
            switch outcome {
            case .success(let loaded):
                let printed = ConfigurationPrinter.yaml(loaded.configuration)
                let again = try Sample.read(printed)
                #expect(ConfigurationPrinter.yaml(again) == printed)
                read += 1
            case .failure(let error):
                #expect(!error.problems.isEmpty)
                refused += 1
            }
        }
        // Neither may be rare, or one of the two is not tested.
        #expect(read > 100 && refused > 100)
    }

    /// One to four changes: a byte replaced, a piece removed, doubled or moved, or something special put in.
    private static func damage(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        let special = [
            "\t", "\u{0}", "- ", ": ", "[", "]", "{", "}", "&a ", "*a ", "!x ", "<<: ", "'", "\"", "|\n", "$", "${A}",
            "$$",
            "null", "---\n", "\n", "#", "%", "é", "\u{FEFF}", "99999999999999999999", "-1", "0",
        ]
        var bytes = bytes
        for _ in 0...Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3:
                let piece = bytes[place..<end]
                bytes.insert(contentsOf: piece, at: Int.random(in: 0..<bytes.count, using: &random))
            default:
                let text = special[Int.random(in: 0..<special.count, using: &random)]
                bytes.insert(contentsOf: text.utf8, at: place)
            }
        }
        return bytes
    }
}

/// A random sequence that is the same in every run.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

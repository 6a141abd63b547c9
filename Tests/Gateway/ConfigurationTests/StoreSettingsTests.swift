import Testing

@testable import ErrandConfiguration

@Suite("Encryption keys in the configuration")
struct StoreSettingsTests {
    private static let hexadecimal = String(repeating: "0aF1", count: 16)
    private static let base64 = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="

    @Test("Keys are 32 bytes, in hexadecimal digits or Base64, and keep their order; by default there are none")
    func values() throws {
        let yaml = "store: {encryption_keys: ['\(Self.base64)', '${KEY}']}"
        let keys = try Sample.read(yaml, environment: ["KEY": Self.hexadecimal]).store.encryptionKeys
        #expect(keys == [Array(0x20...0x3F), Array(repeatElement([0x0A, 0xF1], count: 16).joined())])
        #expect(try Sample.read("").store.encryptionKeys == [])
    }

    @Test("Keys are not printed")
    func printing() throws {
        let yaml = "store: {encryption_keys: ['\(Self.base64)', '\(Self.hexadecimal)']}"
        let printed = ConfigurationPrinter.yaml(try Sample.read(yaml))
        #expect(printed.contains("encryption_keys: [\"[redacted]\", \"[redacted]\"]"))
        #expect(!printed.contains(Self.base64.prefix(8)))
        #expect(!printed.contains(Self.hexadecimal.prefix(8)))
    }

    @Test(
        "A text other than a key of 256 bits is refused and not repeated",
        arguments: [
            "", "SECRET", "SECRET==", String(repeating: "a", count: 63), String(repeating: "a", count: 62) + "gg",
            String(repeating: "a", count: 66), base64 + base64, String(base64.dropLast()), "0x" + hexadecimal,
        ])
    func badKey(text: String) {
        #expect(
            Sample.problems("store: {encryption_keys: ['\(text)']}") == [
                "config.yaml:1:27: store.encryption_keys[0]: expected a key: 32 bytes in Base64, or 64 hexadecimal digits, "
                    + "found another value"
            ])
    }
}

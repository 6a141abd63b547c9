import ErrandXML
import Testing

@testable import ErrandResponseSerialization

@Suite("The limit of a conversion")
struct ConversionLimitTests {
    @Test(
        "is 16 times the content, but at least 1 MiB and at most 64 MiB",
        arguments: [
            (0, 1 << 20), (1 << 16, 1 << 20), (100_000, 1_600_000), (4 << 20, 64 << 20), (5 << 20, 64 << 20),
            (.max, 64 << 20),
        ] as [(Int, Int)])
    func size(contentBytes: Int, maxBytes: Int) throws {
        let limit = ConversionLimit(contentBytes: contentBytes)
        #expect(limit.maxBytes == maxBytes)
        #expect(limit.xml == XMLLimits(maxTextBytes: maxBytes))
        try limit.check(maxBytes)
        #expect(throws: ResponseSerializationError.self) { try limit.check(maxBytes + 1) }
    }
}

import Testing

@testable import ErrandEcho

@Suite("Gzip without compression")
struct StoredGzipTests {
    @Test("is the member that RFC 1952 describes")
    func member() {
        let expected: [UInt8] =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + [1, 3, 0, 0xFC, 0xFF] + Array("abc".utf8)
            + [0xC2, 0x41, 0x24, 0x35] + [3, 0, 0, 0]
        #expect(StoredGzip.encode(Array("abc".utf8)) == expected)
    }

    @Test("splits content into blocks of 65,535 bytes, the last one marked", arguments: [0, 65_535, 65_536, 200_000])
    func blocks(count: Int) {
        let plain = PatternContent.bytes(0..<Int64(count))
        let member = StoredGzip.encode(plain)
        var decoded: [UInt8] = []
        var place = 10
        var isLast = false
        while !isLast {
            isLast = member[place] == 1
            let length = Int(member[place + 1]) | Int(member[place + 2]) << 8
            #expect(length ^ 0xFFFF == Int(member[place + 3]) | Int(member[place + 4]) << 8)
            decoded += member[place + 5..<place + 5 + length]
            place += 5 + length
        }
        #expect(decoded == plain)
        #expect(member.count == place + 8)
    }
}

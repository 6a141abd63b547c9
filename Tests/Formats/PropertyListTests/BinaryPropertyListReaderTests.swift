import ErrandPropertyList
import Testing

@Suite("Binary property lists")
struct BinaryPropertyListReaderTests {
    private static func value(_ objects: [UInt8]...) throws -> PropertyListValue {
        try PropertyListDocument.parse(BinaryFile(objects: objects).bytes).root
    }

    @Test("Integers of 1, 2 and 4 bytes are unsigned, those of 8 and 16 signed")
    func integers() throws {
        #expect(try Self.value([0x10, 0xFF]) == .integer(255))
        #expect(try Self.value([0x11, 0xFF, 0xFE]) == .integer(65534))
        #expect(try Self.value([0x12, 0xFF, 0xFF, 0xFF, 0xFD]) == .integer(4_294_967_293))
        #expect(try Self.value([0x13] + Array(repeating: 0xFF, count: 8)) == .integer(-1))
        #expect(
            try Self.value([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8))
                == .integer(18_446_744_073_709_551_615))
        #expect(try Self.value([0x14] + Array(repeating: 0xFF, count: 15) + [0xFE]) == .integer(-2))
        #expect(try Self.value([0x14, 0x80] + Array(repeating: 0, count: 15)) == .integer(.min))
    }

    @Test("Reals have 4 or 8 bytes and are widened exactly")
    func reals() throws {
        #expect(try Self.value([0x22, 0x3F, 0xC0, 0, 0]) == .real(PropertyListReal(1.5)))
        #expect(try Self.value([0x22, 0x3D, 0xCC, 0xCC, 0xCD]) == .real(PropertyListReal(0.10000000149011612)))
        #expect(try Self.value([0x23, 0xC0, 0x04, 0, 0, 0, 0, 0, 0]) == .real(PropertyListReal(-2.5)))
    }

    @Test("Strings are ASCII or big-endian UTF-16, data any bytes")
    func content() throws {
        #expect(try Self.value([0x52, 0x68, 0x69]) == .string("hi"))
        #expect(try Self.value([0x62, 0xD8, 0x3D, 0xDE, 0x00]) == .string("😀"))
        #expect(try Self.value([0x43, 0, 0xFF, 0x80]) == .data([0, 0xFF, 0x80]))
        #expect(try Self.value([0x50]) == .string(""))
    }

    @Test("A count of 15 and more is in an integer of any width")
    func counts() throws {
        let letters = Array(repeating: UInt8(ascii: "a"), count: 20)
        let text = PropertyListValue.string(String(repeating: "a", count: 20))
        #expect(try Self.value([0x5F, 0x10, 20] + letters) == text)
        #expect(try Self.value([0x5F, 0x11, 0, 20] + letters) == text)
        #expect(try Self.value([0x5F, 0x12, 0, 0, 0, 20] + letters) == text)
        #expect(try Self.value([0x5F, 0x13, 0, 0, 0, 0, 0, 0, 0, 20] + letters) == text)
    }

    @Test("Dictionaries have references to their keys, then to their values")
    func dictionaries() throws {
        let root = try Self.value([0xD2, 1, 2, 3, 4], [0x51, 0x62], [0x51, 0x61], [0x09], [0xA2, 3, 3])
        #expect(
            root
                == .dictionary([
                    PropertyListEntry("b", .boolean(true)),
                    PropertyListEntry("a", .array([.boolean(true), .boolean(true)])),
                ]))
    }

    @Test("References and offsets have any width from 1 to 8 bytes")
    func widths() throws {
        for width in 1...8 {
            let reference = BinaryFile.bigEndian(1, width)
            var file = BinaryFile([0xA1] + reference, [0x08])
            file.referenceWidth = UInt8(width)
            #expect(try PropertyListDocument.parse(file.bytes).root == .array([.boolean(false)]))
        }
    }

    @Test("The top-level value may be any object")
    func top() throws {
        var file = BinaryFile([0x08], [0x09])
        file.top = 1
        #expect(try PropertyListDocument.parse(file.bytes).root == .boolean(true))
    }

    @Test(
        "Malformed objects are rejected",
        arguments: [
            [0x00], [0x0F], [0x07], [0x0C], [0x15], [0x10], [0x14, 0], [0x20], [0x21, 0, 0], [0x24], [0x22, 0, 0],
            [0x30], [0x33, 0],
            [0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0],
            [0x33, 0x7E, 0xF0, 0, 0, 0, 0, 0, 0],
            [0x41], [0x51], [0x51, 0x80], [0x61, 0], [0x61, 0xD8, 0], [0x62, 0xDE, 0, 0xD8, 0x3D], [0x71, 0x61], [0x88],
            [0x80],
            [0x90], [0xB0], [0xC0], [0xE0], [0xF0], [0x4F], [0x4F, 0x14], [0x4F, 0x20, 0], [0x4F, 0x10],
            [0x4F, 0x10, 1],
            [0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xA1], [0xA1, 9], [0xD1, 0], [0xD1, 0, 0],
        ] as [[UInt8]])
    func malformed(object: [UInt8]) {
        #expect(refusal(BinaryFile(object).bytes) != nil)
    }

    @Test("A key that is not a string is rejected")
    func keys() {
        #expect(refusal(BinaryFile([0xD1, 1, 1], [0x09]).bytes)?.message == "a dictionary key must be a string")
    }

    @Test("A trailer that contradicts the file is rejected")
    func trailers() {
        let valid = BinaryFile([0x09])
        #expect(refusal(valid.bytes) == nil)
        for change in [
            { $0.top = 1 }, { $0.top = .max }, { $0.objectCount = 0 }, { $0.objectCount = 2 },
            { $0.objectCount = .max },
            { $0.objectCount = 1 << 62 }, { $0.tableOffset = 0 }, { $0.tableOffset = 8 }, { $0.tableOffset = 10 },
            { $0.tableOffset = .max }, { $0.offsetWidth = 0 }, { $0.offsetWidth = 9 }, { $0.offsetWidth = 255 },
            { $0.referenceWidth = 0 }, { $0.referenceWidth = 9 },
        ] as [@Sendable (inout BinaryFile) -> Void] {
            var file = valid
            change(&file)
            #expect(refusal(file.bytes) != nil)
        }
    }

    @Test("An object outside the objects is rejected")
    func offsets() {
        let valid = BinaryFile([0x09]).bytes
        for offset in [0, 7, 9, 13, 255] as [UInt8] {
            var bytes = valid
            bytes[12] = offset
            #expect(refusal(bytes)?.message == "an offset outside the objects")
        }
        var bytes = valid
        bytes[9] = 0xFF
        #expect(refusal(bytes)?.message == "an offset outside the objects")
    }

    @Test("A container that contains itself is rejected, at any distance")
    func cycles() {
        for file in [
            BinaryFile([0xA1, 0]), BinaryFile([0xA1, 1], [0xA1, 2], [0xA1, 0]),
            BinaryFile([0xD1, 1, 0], [0x51, 0x61]),
            BinaryFile([0xA2, 1, 2], [0x09], [0xD1, 3, 2], [0x51, 0x61]),
        ] {
            #expect(refusal(file.bytes)?.message == "an array or dictionary contains itself")
        }
    }

    @Test("An object that occurs several times without containing itself is read each time")
    func shared() throws {
        #expect(
            try Self.value([0xA2, 1, 1], [0xA2, 2, 2], [0x09])
                == .array(Array(repeating: .array([.boolean(true), .boolean(true)]), count: 2)))
    }
}

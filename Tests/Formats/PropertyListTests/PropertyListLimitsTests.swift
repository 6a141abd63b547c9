import ErrandPropertyList
import Testing

@Suite("Limits of property lists")
struct PropertyListLimitsTests {
    /// Returns nested arrays in the binary format.
    private static func nestedBinary(_ depth: Int) -> [UInt8] {
        var file = BinaryFile(objects: (0..<depth).map { [0xA1] + BinaryFile.bigEndian(UInt64($0 + 1), 2) } + [[0x09]])
        file.referenceWidth = 2
        return file.bytes
    }

    private static func nestedXML(_ depth: Int) -> String {
        String(repeating: "<array>", count: depth) + "<true/>" + String(repeating: "</array>", count: depth)
    }

    @Test("Arrays nest as deep as the limit, and no deeper")
    func depth() {
        for depth in [1, 2, 512] {
            let limits = PropertyListLimits(maxDepth: depth)
            #expect(refusal(Self.nestedBinary(depth), limits) == nil)
            #expect(refusal(Self.nestedXML(depth), limits) == nil)
            let message = "arrays and dictionaries are nested more than \(depth) deep"
            #expect(refusal(Self.nestedBinary(depth + 1), limits)?.message == message)
            #expect(
                refusal(String(Self.nestedXML(depth + 1).replacing("<true/>", with: "")), limits)?.message == message)
            #expect(refusal(Self.nestedXML(depth + 1), limits) != nil)
        }
    }

    @Test("The deepest allowed property list can be written and compared")
    func greatestDepth() throws {
        let limits = PropertyListLimits(maxDepth: .max)
        #expect(limits.maxDepth == PropertyListLimits.greatestDepth)
        let binary = Self.nestedBinary(PropertyListLimits.greatestDepth)
        let depth = PropertyListLimits.greatestDepth
        let expected = String(repeating: "[", count: depth) + "true" + String(repeating: "]", count: depth)
        #expect(try json(binary, limits) == expected)
        #expect(try xmlValue(Self.nestedXML(depth), limits) == PropertyListDocument.parse(binary, limits: limits).root)
    }

    @Test("Repeated references to arrays, which would expand without end, exceed the limit")
    func exponentialBlowUp() {
        // 40 objects that each occur 14 times in the previous one: 14 to the power of 39.
        let objects = (0..<39).map { level in [0xAE] + Array(repeating: UInt8(level + 1), count: 14) } + [[0x09]]
        let limits = PropertyListLimits(maxNodes: 10_000)
        #expect(refusal(BinaryFile(objects: objects).bytes, limits)?.message == "more than 10000 values and keys")
    }

    @Test("One long text with many references exceeds the limit")
    func quadraticBlowUp() {
        let text = [0x5F, 0x11, 0x03, 0xE8] + Array(repeating: UInt8(ascii: "x"), count: 1000)
        let array = [0xAF, 0x11, 0x03, 0xE8] + Array(repeating: UInt8(1), count: 1000)
        let bytes = BinaryFile(array, text).bytes
        #expect(refusal(bytes, PropertyListLimits(maxContentBytes: 1_000_000)) == nil)
        let message = "more than 999999 bytes of text and data"
        #expect(refusal(bytes, PropertyListLimits(maxContentBytes: 999_999))?.message == message)
    }

    @Test("Values and keys are counted")
    func nodes() {
        // The dictionary, its key, and the value.
        let binary = BinaryFile([0xD1, 1, 2], [0x51, 0x61], [0x09]).bytes
        #expect(refusal(binary, PropertyListLimits(maxNodes: 3)) == nil)
        #expect(refusal(binary, PropertyListLimits(maxNodes: 2)) != nil)
        // plist and its attribute, dict, key and its text, true.
        let xml = "<dict><key>a</key><true/></dict>"
        #expect(refusal(xml, PropertyListLimits(maxNodes: 6)) == nil)
        #expect(refusal(xml, PropertyListLimits(maxNodes: 5)) != nil)
    }

    @Test("Limits below zero are zero")
    func negative() {
        #expect(
            PropertyListLimits(maxDepth: -1, maxNodes: -1, maxContentBytes: -1)
                == PropertyListLimits(maxDepth: 0, maxNodes: 0, maxContentBytes: 0))
    }
}

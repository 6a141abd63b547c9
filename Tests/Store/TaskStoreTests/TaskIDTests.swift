import ErrandTime
import Testing

@testable import ErrandTaskStore

@Suite("TaskID")
struct TaskIDTests {
    /// The example of RFC 9562, appendix A.6.
    private let example = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    @Test("The example of RFC 9562 is read and written, as text and as bytes")
    func readsAndWrites() throws {
        let id = try #require(TaskID(example))
        #expect(id.high == 0x017F_22E2_79B0_7CC3)
        #expect(id.low == 0x98C4_DC0C_0C07_398F)
        #expect(id.description == example)
        #expect(id.timestamp.milliseconds == 0x017F_22E2_79B0)
        #expect(TaskID(bytes: id.bytes) == id)
        #expect(id.bytes.prefix(3) == [0x01, 0x7F, 0x22])
        #expect(TaskID(example.uppercased()) == id)
        #expect(TaskID(timestamp: id.timestamp, a: 0xCC3, b: 0x18C4_DC0C_0C07_398F) == id)
    }

    @Test(
        "Any text other than a UUID of version 7 in canonical form is refused",
        arguments: [
            "", "017f22e2", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-4cc3-98c4-dc0c0c07398f",
            "017f22e2-79b0-7cc3-18c4-dc0c0c07398f", "017f22e2-79b0-7cc3-d8c4-dc0c0c07398f",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e2-79b0-7cc3-98c4+dc0c0c07398f",
            "{17f22e2-79b0-7cc3-98c4-dc0c0c07398f}", "017f22e2-79b0-7cc3-98c4-dc0c0c0739é",
        ])
    func refused(text: String) {
        #expect(TaskID(text) == nil)
    }

    @Test("Bytes of another length or version are refused")
    func refusedBytes() throws {
        let bytes = try #require(TaskID(example)).bytes
        #expect(TaskID(bytes: bytes.dropLast()) == nil)
        #expect(TaskID(bytes: bytes + [0]) == nil)
        #expect(TaskID(bytes: [UInt8](repeating: 0, count: 16)) == nil)
    }

    @Test("Identifiers, their texts and their bytes have the same order")
    func order() {
        var random = SystemRandomNumberGenerator()
        let ids = (0..<200).map { _ in
            TaskID(
                timestamp: Timestamp(milliseconds: Int64.random(in: 0...3)), a: random.next() & 1,
                b: random.next())
        }.sorted()
        #expect(ids.map(\.description) == ids.map(\.description).sorted())
        #expect(ids.map(\.bytes) == ids.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test("All identifiers of a millisecond lie between its first and its last")
    func bounds() {
        let instant = Timestamp(milliseconds: 5)
        let id = TaskID(timestamp: instant, a: 77, b: 88)
        #expect(TaskID.first(at: instant) < id)
        #expect(id < TaskID.last(at: instant))
        #expect(TaskID.last(at: instant) < TaskID.first(at: Timestamp(milliseconds: 6)))
        #expect(TaskID.first(at: .earliest) == TaskID.first(at: Timestamp(milliseconds: 0)))
        #expect(TaskID.last(at: .latest).timestamp == .latest)
    }
}

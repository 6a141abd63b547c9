import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes
import Testing

@Suite("The header fields of a trace")
struct TraceContextFieldsTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    private func context(_ parents: [String], state: [String] = []) -> TraceContext? {
        var fields = HTTPFields()
        for value in parents { fields.append(HTTPField(name: .traceParent, value: value)) }
        for value in state { fields.append(HTTPField(name: .traceState, value: value)) }
        return TraceContext(fields)
    }

    private func state(_ values: String...) throws -> String? {
        try #require(context(["00-\(Self.trace)-\(Self.parent)-01"], state: values)).state
    }

    @Test(
        "A valid traceparent is read; of the flags only that of version 00 counts",
        arguments: [
            ("00-\(trace)-\(parent)-01", true), ("00-\(trace)-\(parent)-00", false), ("00-\(trace)-\(parent)-ff", true),
            ("00-\(trace)-\(parent)-02", false), ("cc-\(trace)-\(parent)-01", true),
            ("01-\(trace)-\(parent)-01-what-the-future-will-be-like", true), ("fe-\(trace)-\(parent)-01-", true),
        ])
    func valid(value: String, isSampled: Bool) throws {
        let context = try #require(self.context([value]))
        #expect(context.traceID == Self.trace)
        #expect(context.parentID == Self.parent)
        #expect(context.isSampled == isSampled)
        #expect(context.state == nil)
    }

    @Test(
        "An invalid traceparent is no trace",
        arguments: [
            "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-1", "00-\(trace)-\(parent)-001",
            "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-01-extra", "ff-\(trace)-\(parent)-01",
            "01-\(trace)-\(parent)-01.extra", "FE-\(trace)-\(parent)-01", "0g-\(trace)-\(parent)-01",
            "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01",
            "00-\(trace)-\(parent)-0A", "00-\(trace)-\(parent)-0x", "00_\(trace)-\(parent)-01",
            "00-\(trace)_\(parent)-01", "00-\(trace)-\(parent)_01", "00-\(trace)-\(parent)-é1",
            "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace.dropLast())-\(parent)-01-", "0-\(trace)-\(parent)-01",
        ])
    func invalid(value: String) {
        #expect(context([value], state: ["a=1"]) == nil)
    }

    @Test("There has to be one traceparent, and tracestate alone is nothing")
    func number() {
        let value = "00-\(Self.trace)-\(Self.parent)-01"
        #expect(context([value, value]) == nil)
        #expect(context([], state: ["a=1"]) == nil)
    }

    @Test("The members of all fields tracestate are joined, without blanks and empty members")
    func members() throws {
        #expect(try state("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE") == "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
        #expect(try state("a=1 ,\tb=2", "", " , c=3,") == "a=1,b=2,c=3")
        #expect(try state("fw529a3039@dt=a b:/;{}~", "0_-*/@a0=x") == "fw529a3039@dt=a b:/;{}~,0_-*/@a0=x")
        #expect(try state(",") == nil)
        #expect(try state("a=1,b=2,a=3") == "a=1,b=2", "the first one is the newest")
    }

    @Test(
        "A list with an invalid member is ignored, and the trace continues",
        arguments: [
            "a", "a=", "=1", "A=1", "1=1", "a=1=2", "a=é", "a=\u{7F}", "a b=1", "a@=1", "@a=1", "a@1=1", "a@b@c=1",
            "a@bcdefghijklmnop=1", "é=1",
        ])
    func invalidMember(member: String) throws {
        #expect(try state("good=1,\(member)") == nil)
        #expect(try state("good=1") == "good=1")
    }

    @Test("Keys and values have the lengths of the recommendation")
    func lengths() throws {
        func text(_ count: Int) -> String { String(repeating: "a", count: count) }
        #expect(try state("\(text(256))=1") == "\(text(256))=1")
        #expect(try state("\(text(257))=1") == nil)
        #expect(try state("\(text(241))@\(text(14))=1") == "\(text(241))@\(text(14))=1")
        #expect(try state("\(text(242))@a=1") == nil)
        #expect(try state("a=\(text(256))") == "a=\(text(256))")
        #expect(try state("a=\(text(257))") == nil)
    }

    @Test("More than 32 members are none")
    func tooMany() throws {
        let members = (0..<32).map { "k\($0)=1" }
        #expect(try state(members.joined(separator: ",")) == members.joined(separator: ","))
        #expect(try state(members.joined(separator: ","), "k32=1") == nil)
    }

    @Test("A list of more than 512 characters loses its long members, then the last ones")
    func long() throws {
        func member(_ key: String, _ length: Int) -> String {
            "\(key)=" + String(repeating: "v", count: length - key.utf8.count - 1)
        }
        let fitting = (0..<4).map { member("k\($0)", 127) }.joined(separator: ",")
        #expect(fitting.utf8.count == 511)
        #expect(try state(fitting) == fitting)
        #expect(try state(fitting + ",e=1") == fitting)
        #expect(
            try state(member("a", 129), member("b", 129), member("c", 255))
                == "\(member("a", 129)),\(member("b", 129))")
        #expect(
            try state(member("a", 255), member("b", 128), member("c", 128), member("d", 128))
                == "\(member("b", 128)),\(member("c", 128)),\(member("d", 128))")
        let longest = member("a", 256) + "," + member("b", 255)
        #expect(longest.utf8.count == 512)
        #expect(try state(longest) == longest)
    }
}

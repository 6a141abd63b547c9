import ErrandJSON
import Testing

@Suite("Values")
struct JSONValueTests {
    static let numbers: [(lexeme: String, int: Int?, double: Double)] = [
        ("0", 0, 0), ("-0", 0, -0.0), ("42", 42, 42), ("-17", -17, -17), ("9223372036854775807", .max, 0x1p63),
        ("-9223372036854775808", .min, -0x1p63), ("9223372036854775808", nil, 0x1p63), ("1.0", nil, 1),
        ("1e3", nil, 1000),
        ("0.1", nil, 0.1), ("1e400", nil, .infinity), ("-1e400", nil, -.infinity), ("1e-400", nil, 0),
    ]

    @Test("A number is an integer only if it is written as one and is in range", arguments: numbers)
    func number(lexeme: String, int: Int?, double: Double) throws {
        guard case .number(let number) = try root(lexeme).kind else {
            Issue.record("\(lexeme) is no number")
            return
        }
        #expect(number.lexeme == lexeme)
        #expect(number.int == int)
        #expect(number.double.bitPattern == double.bitPattern)
    }

    @Test("Numbers in different forms are different")
    func lexemes() {
        #expect(JSONNumber(lexeme: "1.0") != JSONNumber(lexeme: "1.00"))
        #expect(JSONNumber(lexeme: "x").double.isNaN)
    }

    @Test("The first member with a name is its value, the others are repeated")
    func repeated() throws {
        let object = try #require(try root(#"{"a":1,"b":2,"\u0061":3,"a":4}"#).object)
        #expect(object["a"]?.kind == .number(JSONNumber(lexeme: "1")))
        #expect(object.repeatedMembers.map(\.value.kind) == [3, 4].map { .number(JSONNumber(lexeme: "\($0)")) })
        #expect(object["c"] == nil)
    }

    @Test("Repeated members are found in small and in large objects", arguments: [1, 2, 15, 16, 17, 40])
    func repeatedAmong(count: Int) throws {
        let members = (0..<count).map { JSONMember("name \($0)", JSONValue(.null)) }
        #expect(JSONObject(members).repeatedMembers.isEmpty)
        let repeated = members + [JSONMember("name \(count - 1)", JSONValue(.bool(true)))]
        #expect(JSONObject(repeated).repeatedMembers.map(\.value.kind) == [.bool(true)])
    }

    @Test("Names are equal if their code points are, not if they look alike")
    func equivalentNames() throws {
        let object = try #require(try root(#"{"\u00e9":1,"e\u0301":2,"\u212a":3,"\u212b":4,"A\u030a":5}"#).object)
        #expect(object.repeatedMembers.isEmpty)
        #expect(object["e\u{301}"]?.kind == .number(JSONNumber(lexeme: "2")))
        #expect(object["K"] == nil)
        #expect(object["\u{C5}"] == nil)
    }

    @Test("Each accessor returns a value only for its own type")
    func accessors() throws {
        let items = try #require(try root(#"[null,"s",{"a":1},[1],0,true]"#).array)
        #expect(items.map(\.isNull) == [true, false, false, false, false, false])
        #expect(items.map { $0.string != nil } == [false, true, false, false, false, false])
        #expect(items.map { $0.object != nil } == [false, false, true, false, false, false])
        #expect(items.map { $0.array != nil } == [false, false, false, true, false, false])
    }
}

import ErrandJSON
import Testing

@Suite("Reading objects")
struct JSONObjectReaderTests {
    private enum Kind: String, CaseIterable {
        case data
        case upload
        case download
    }

    /// Returns the faults of a text, each as `pointer: detail`.
    private static func problems(
        _ text: String, _ read: (inout JSONObjectReader) -> Void
    ) throws -> [String] {
        let problems = JSONProblems()
        if var reader = JSONObjectReader(try root(text), reporting: problems) { read(&reader) }
        return problems.problems.map { "\($0.pointer): \($0.detail)" }
    }

    @Test("Members of the right type are taken, and nothing is reported")
    func takes() throws {
        let text = #"{"name":"x","n":9,"kind":"upload","o":{"in":"y"},"any":[1],"none":null,"twice":"4"}"#
        let problems = try Self.problems(text) { reader in
            #expect(reader.string("name") == "x")
            #expect(reader.integer("n", in: 0...9) == 9)
            #expect(reader.choice("kind", Kind.self) == .upload)
            var inner = reader.object("o")
            #expect(inner?.string("in") == "y")
            #expect(inner?.pointer.description == "/o")
            inner?.finish()
            #expect(reader.value("any")?.array?.count == 1)
            #expect(reader.string("none") == nil)
            #expect(reader.string("missing") == nil)
            #expect(reader.parsed("twice", expecting: "a digit") { $0.string.flatMap { Int($0) }.map { 2 * $0 } } == 8)
            #expect(reader.has("none") && !reader.has("missing"))
            #expect(reader.says("name") && !reader.says("none") && !reader.says("missing"))
            reader.finish()
        }
        #expect(problems.isEmpty)
    }

    @Test("Null is a value only if any value is requested")
    func null() throws {
        let problems = try Self.problems(#"{"a":null}"#) { reader in
            #expect(reader.value("a")?.isNull == true)
            #expect(reader.string("a") == nil)
            #expect(reader.integer("a", in: 1...1) == nil)
            #expect(reader.choice("a", Kind.self) == nil)
            #expect(reader.object("a") == nil)
            reader.finish()
        }
        #expect(problems.isEmpty)
    }

    @Test("All members of a wrong type are reported at once, each with its location")
    func types() throws {
        let problems = try Self.problems(#"{"s":5,"o":[],"n":"5","k":true,"p":{},"deep":{"a/b":1}}"#) { reader in
            #expect(reader.string("s") == nil)
            #expect(reader.object("o") == nil)
            #expect(reader.integer("n", in: 0...9) == nil)
            #expect(reader.choice("k", Kind.self) == nil)
            #expect(reader.parsed("p", expecting: "a duration such as \"30s\"") { $0.string } == nil)
            var deep = reader.object("deep")
            #expect(deep?.string("a/b") == nil)
            deep?.finish()
            reader.finish()
        }
        #expect(
            problems == [
                "/s: expected a string, found a number",
                "/o: expected an object, found an array",
                "/n: expected an integer from 0 to 9, found a string",
                #"/k: expected "data", "upload", "download", found true"#,
                #"/p: expected a duration such as "30s", found an object"#,
                "/deep/a~1b: expected a string, found a number",
            ])
    }

    @Test("A short invalid value of the right type is quoted")
    func values() throws {
        let long = String(repeating: "x", count: 65)
        let problems = try Self.problems(
            #"{"a":10,"b":1.5,"c":99999999999999999999,"k":"x","p":"soon","l":"\#(long)"}"#
        ) {
            for name in ["a", "b", "c"] { #expect($0.integer(name, in: 0...9) == nil) }
            #expect($0.choice("k", Kind.self) == nil)
            #expect($0.parsed("p", expecting: "a time") { _ in Int?.none } == nil)
            #expect($0.parsed("l", expecting: "a time") { _ in Int?.none } == nil)
            $0.finish()
        }
        #expect(
            problems == [
                "/a: expected an integer from 0 to 9, found 10", "/b: expected an integer from 0 to 9, found 1.5",
                "/c: expected an integer from 0 to 9, found 99999999999999999999",
                #"/k: expected "data", "upload", "download", found "x""#, #"/p: expected a time, found "soon""#,
                "/l: expected a time, found a string of 65 characters",
            ])
    }

    @Test("An invalid item of a list is reported with what was found, and the others are read")
    func items() throws {
        let long = String(repeating: "x", count: 65)
        let problems = try Self.problems(#"{"l":["data","x",7,"\#(long)",{"a":"hunter2"},null,"upload"]}"#) {
            let read = $0.list("l", expecting: "a kind") { $0.string.flatMap(Kind.init(rawValue:)) }
            #expect(read == [.data, .upload])
            $0.finish()
        }
        #expect(
            problems == [
                #"/l/1: expected a kind, found "x""#, "/l/2: expected a kind, found 7",
                "/l/3: expected a kind, found a string of 65 characters", "/l/4: expected a kind, found an object",
                "/l/5: expected a kind, found null",
            ])
    }

    @Test("Text in an unexpected place is not quoted, because it may be a secret")
    func secrets() throws {
        let problems = try Self.problems(#"{"headers":"Bearer hunter2","priority":"hunter2"}"#) { reader in
            #expect(reader.object("headers") == nil)
            #expect(reader.integer("priority", in: 0...9) == nil)
        }
        #expect(problems.count == 2)
        #expect(!problems.contains { $0.contains("hunter2") })
    }

    @Test("Unknown members are reported once, with a suggestion")
    func unknown() throws {
        let problems = try Self.problems(#"{"nmae":1,"zzz":2,"zzz":3,"name":"x"}"#) { reader in
            #expect(reader.string("name") == "x")
            reader.finish()
        }
        #expect(
            problems == [
                "/zzz: the member is given more than once",
                #"/nmae: unknown member; did you mean "name"?"#,
                "/zzz: unknown member",
            ])
    }

    @Test("A known member that is not allowed is reported with the reason")
    func refused() throws {
        let problems = try Self.problems(#"{"retry":{},"kind":"upload"}"#) { reader in
            #expect(reader.choice("kind", Kind.self, refusing: ["upload": "no uploads here"]) == nil)
            reader.finish(refusing: ["retry": "not available"])
        }
        #expect(problems == ["/kind: no uploads here", "/retry: not available"])
    }

    @Test("A repeated name is reported once, whatever its values")
    func repeated() throws {
        let problems = try Self.problems(#"{"a":1,"a":2,"\u0061":3,"b":{"c":0,"c":0}}"#) { reader in
            #expect(reader.value("a") != nil)
            var inner = reader.object("b")
            #expect(inner?.value("c") != nil)
            inner?.finish()
            reader.finish()
        }
        #expect(problems == ["/a: the member is given more than once", "/b/c: the member is given more than once"])
    }

    @Test("A name that only looks like a known one is unknown")
    func equivalentNames() throws {
        let problems = try Self.problems(#"{"\u212a":1}"#) { reader in
            #expect(reader.value("K") == nil)
            reader.finish()
        }
        #expect(problems.count == 1)
    }

    @Test("The rest is taken in order, without the members already taken")
    func rest() throws {
        let problems = try Self.problems(#"{"b":1,"known":2,"a":3}"#) { reader in
            #expect(reader.value("known") != nil)
            #expect(reader.rest().map(\.key) == ["b", "a"])
            #expect(reader.rest().isEmpty)
            reader.finish()
        }
        #expect(problems.isEmpty)
    }

    @Test("A value that is not an object is reported with its location")
    func noObject() throws {
        for (text, found) in [("[]", "an array"), ("null", "null"), ("1", "a number")] {
            let problems = JSONProblems()
            let reader = JSONObjectReader(try root(text), at: JSONPointer(["x"]), reporting: problems)
            #expect(reader == nil)
            #expect(problems.problems == [JSONProblem(JSONPointer(["x"]), "expected an object, found \(found)")])
        }
    }

    @Test("An object of a hundred thousand unknown members is reported in bounded space")
    func manyMembers() throws {
        let members = (0..<100_000).map { "\"nane\($0)\":0" }.joined(separator: ",")
        let problems = try Self.problems("{\(members)}") { reader in
            #expect(reader.string("name") == nil)
            reader.finish()
        }
        #expect(problems.count == 100)
        #expect(
            problems.first == #"/nane0: unknown member; did you mean "name"?"#
                || problems.first == "/nane0: unknown member")
        let none = try Self.problems("{\(members)}") { reader in
            #expect(reader.rest().count == 100_000)
            reader.finish()
        }
        #expect(none.isEmpty)
    }
}

import HTTPSession
import Testing

@Suite("Parameters as JSON")
struct ParametersJSONTests {
    private func json(_ parameters: Parameters) throws -> String {
        String(decoding: try parameters.json(), as: UTF8.self)
    }

    @Test("have their members in order, escaped texts, and no white space")
    func structure() throws {
        #expect(try json([:]) == "{}")
        #expect(try json(["b": [1, nil, ["x": true]], "a": "q\"\n/é"]) == #"{"b":[1,null,{"x":true}],"a":"q\"\n/é"}"#)
        #expect(try json(["a": 1, "a": 2]) == #"{"a":1,"a":2}"#)
    }

    @Test(
        "have numbers as Swift prints them",
        arguments: [
            (.int(.min), "-9223372036854775808"), (.double(-0.0), "-0.0"), (.double(1), "1.0"), (.double(0.1), "0.1"),
            (.double(1e16), "1e+16"), (.double(.leastNonzeroMagnitude), "5e-324"),
        ] as [(Parameters.Value, String)])
    func numbers(value: Parameters.Value, text: String) throws {
        #expect(try json(["n": value]) == "{\"n\":\(text)}")
    }

    @Test("have number texts unchanged", arguments: ["1.10", "12345678901234567890", "-0", "1E400"])
    func lexemes(text: String) throws {
        #expect(try json(["n": .number(text)]) == "{\"n\":\(text)}")
    }

    @Test(
        "reject a number text that is not a number, to prevent injection",
        arguments: ["", "1,\"x\":2", " 1", "1 ", "01", "+1", "1.", "null", "NaN", "\u{FEFF}1"])
    func noNumber(text: String) {
        let error = #expect(throws: SessionError.self) { try json(["a": [1, .number(text)]]) }
        #expect(
            error
                == SessionError(
                    .unserializableParameters, "The parameter a.1 is not a valid JSON number"))
    }

    @Test("reject infinities and NaN", arguments: [Double.infinity, -.infinity, .nan, .signalingNaN])
    func notFinite(double: Double) {
        let error = #expect(throws: SessionError.self) { try json(["a": ["b": .double(double)]]) }
        #expect(error == SessionError(.unserializableParameters, "The parameter a.b is not a finite number"))
    }

    @Test("can be nested as deep as the JSON reader allows")
    func depth() throws {
        func nested(_ depth: Int) -> Parameters {
            ["a": (1..<depth).reduce(.int(1)) { value, _ in .array([value]) }]
        }
        #expect(try nested(512).json().count == 6 + 2 * 511 + 1)
        let error = #expect(throws: SessionError.self) { try nested(513).json() }
        #expect(error?.code == .unserializableParameters)
    }
}

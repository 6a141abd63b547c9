import FoundationEssentials
import HTTPSession
import Testing

@Suite("Parameters of a value that encodes itself")
struct ParametersEncodableTests {
    private struct Search: Encodable {
        var text = "a/b"
        var page: UInt64 = .max
        var tags = ["x", "y"]
        var isOpen = true
        var owner: Owner? = Owner()
        var nothing: Int?

        struct Owner: Encodable {
            var rating = 1.5
        }
    }

    @Test("are its members, in ascending order of their names")
    func members() throws {
        let json = String(decoding: try Parameters(encoding: Search()).json(), as: UTF8.self)
        #expect(
            json
                == #"{"isOpen":true,"owner":{"rating":1.5},"page":18446744073709551615,"tags":["x","y"],"text":"a/b"}"#)
    }

    @Test("are written by the encoder that is given")
    func encoder() throws {
        struct Name: Encodable {
            var firstName = "Ada"
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let parameters = try Parameters(encoding: Name(), with: encoder)
        #expect(parameters.members == [.init("first_name", .string("Ada"))])
    }

    @Test("are an object")
    func noObject() {
        let error = #expect(throws: SessionError.self) { try Parameters(encoding: [1, 2]) }
        #expect(error == SessionError(.unserializableParameters, "Parameters are an object, and the value is an array"))
    }

    @Test("tell where a value has no form in JSON, and not the value")
    func unencodable() {
        let error = #expect(throws: SessionError.self) {
            try Parameters(encoding: ["limits": [1, Double.infinity]])
        }
        #expect(error?.code == .unserializableParameters)
        #expect(
            error?.message
                == "The value of type Dictionary<String, Array<Double>> cannot be written as JSON: limits[1] has no form in it"
        )
    }
}

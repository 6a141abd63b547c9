import FoundationEssentials
import HTTPSession
import Testing

@Suite("Parameters of an encodable value")
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

    @Test("are its members, sorted by name")
    func members() throws {
        let json = String(decoding: try Parameters(encoding: Search()).json(), as: UTF8.self)
        #expect(
            json
                == #"{"isOpen":true,"owner":{"rating":1.5},"page":18446744073709551615,"tags":["x","y"],"text":"a/b"}"#)
    }

    @Test("are written by the given encoder")
    func encoder() throws {
        struct Name: Encodable {
            var firstName = "Ada"
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let parameters = try Parameters(encoding: Name(), with: encoder)
        #expect(parameters.members == [.init("first_name", .string("Ada"))])
    }

    @Test("must be an object")
    func noObject() {
        let error = #expect(throws: SessionError.self) { try Parameters(encoding: [1, 2]) }
        #expect(error == SessionError(.unserializableParameters, "The parameters must be an object, found an array"))
    }

    @Test("name the place of a value that cannot be encoded, but not the value")
    func unencodable() {
        let error = #expect(throws: SessionError.self) {
            try Parameters(encoding: ["limits": [1, Double.infinity]])
        }
        #expect(error?.code == .unserializableParameters)
        #expect(
            error?.message
                == "The value of type Dictionary<String, Array<Double>> cannot be encoded as JSON: limits[1] cannot be represented"
        )
    }
}

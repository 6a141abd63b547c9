import FoundationEssentials
import HTTPSession
import Testing

@Suite("Parameters of an encodable value")
struct ParametersEncodableTests {
    private enum PlanError: Error {
        case expired
    }

    /// A value that refuses to be encoded.
    private struct Plan: Encodable {
        func encode(to encoder: any Encoder) throws {
            throw PlanError.expired
        }
    }

    /// A value with a number that JSON does not have.
    private struct Rules: Encodable {
        var limits = [Limit()]

        struct Limit: Encodable {
            var rate = Double.infinity
        }
    }

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
        let error = #expect(throws: SessionError.self) { try Parameters(encoding: Rules()) }
        #expect(error?.code == .unserializableParameters)
        #expect(
            error?.message
                == "The value of type Rules cannot be encoded as JSON: limits[0].rate cannot be represented")
    }

    @Test("name no key of a dictionary in the place of a value that cannot be encoded")
    func unencodableInDictionary() {
        let error = #expect(throws: SessionError.self) { try Parameters(encoding: ["a@x": Rules()]) }
        #expect(
            error?.message
                == "The value of type Dictionary<String, Rules> cannot be encoded as JSON: "
                + "[…].limits[0].rate cannot be represented")
    }

    @Test("that cannot be encoded have the error of the encoder, or of the value itself, as the cause")
    func causes() {
        let refused = #expect(throws: SessionError.self) { try Parameters(encoding: Plan()) }
        #expect(refused?.cause as? PlanError == .expired)
        let invalid = #expect(throws: SessionError.self) { try Parameters(encoding: ["a": Double.nan]) }
        #expect(invalid?.cause is EncodingError)
        let body = #expect(throws: SessionError.self) { try TaskBody.encoding(Plan()) }
        #expect(body?.cause as? PlanError == .expired)
    }
}

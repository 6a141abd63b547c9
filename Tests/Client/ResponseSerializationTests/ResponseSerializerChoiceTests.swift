import ErrandHTTPGrammar
import ErrandResponseSerialization
import Testing

@Suite("The choice of response serializers")
struct ResponseSerializerChoiceTests {
    private let options = ResponseSerializationOptions()

    @Test("is never empty")
    func none() {
        #expect(ResponseSerializerChoice([]) == nil)
        #expect(ResponseSerializerChoice([.xml])?.kinds == [.xml])
        #expect(ResponseSerializerChoice([.xml]) == .xml)
    }

    @Test("of one kind is its serializer", arguments: ResponseSerializerKind.allCases)
    func one(kind: ResponseSerializerKind) throws {
        let serializer = ResponseSerializerChoice(kind).serializer(options: options)
        #expect(!(serializer is CompoundResponseSerializer))
        #expect(try serializer.text([]) == (kind == .auto ? "raw" : kind.rawValue), "it makes nothing of nothing")
    }

    @Test("of several tries them in order")
    func several() throws {
        let choice = try #require(ResponseSerializerChoice([.json, .text]))
        let serializer = choice.serializer(options: options)
        #expect(try serializer.text("[1]", nil) == "json: [1]")
        #expect(try serializer.text("[1", nil) == #"text: made anew: "[1""#)
    }

    @Test(
        "accepts the types of AFNetworking, and for images also other ones",
        arguments: [
            (.json, ["application/json", "text/json", "text/javascript"]),
            (.xml, ["application/xml", "text/xml"]),
            (.plist, ["application/x-plist"]),
            (.text, ["text/*"]),
            (
                .image,
                [
                    "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
                    "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap",
                    "image/webp", "image/vnd.microsoft.icon", "image/x-ms-bmp",
                ]
            ),
            (.raw, nil),
            (.auto, nil),
        ] as [(ResponseSerializerKind, [String]?)])
    func contentTypes(kind: ResponseSerializerKind, types: [String]?) {
        let serializer = kind.serializer(options: options)
        #expect(serializer.acceptableContentTypes?.map(\.description) == types)
        #expect(serializer.readsContent(of: MediaType("application/json")) == (kind != .raw))
    }

    @Test("passes its options on")
    func optionsMatter() throws {
        let options = ResponseSerializationOptions(removesNulls: true, json: JSONReadingOptions(allowsFragments: true))
        for choice in [.json, .auto, ResponseSerializerChoice([.xml, .json])] {
            let serializer = try #require(choice).serializer(options: options)
            #expect(try serializer.text("[null]", "application/json") == "json: made anew: []")
            #expect(try serializer.text("7", "application/json") == "json: 7")
        }
    }

    @Test("knows what is tried before content of a type is read as a text")
    func beforeText() throws {
        let rows: [([ResponseSerializerKind], String?, [ResponseSerializerKind]?)] = [
            ([.text], "text/plain", []), ([.text], "image/png", []), ([.text], nil, []),
            ([.json], "text/json", nil), ([.raw], "text/plain", nil), ([.image], "text/plain", nil),
            ([.auto], "text/plain", []), ([.auto], "text/javascript", [.json]), ([.auto], "text/json", nil),
            ([.auto], "image/png", nil), ([.auto], nil, nil),
            ([.json, .text], "text/json", [.json]), ([.json, .text], nil, [.json]),
            ([.json, .text], "application/json", nil), ([.text, .json], "text/json", []),
            ([.xml, .auto], "text/plain", [.xml]), ([.xml, .auto], "text/javascript", [.xml, .json]),
        ]
        for (kinds, type, before) in rows {
            let choice = try #require(ResponseSerializerChoice(kinds))
            let contentType = type.flatMap { MediaType($0) }
            #expect(choice.kindsBeforeText(contentType) == before, "\(kinds) \(type ?? "none")")
            #expect(choice.mayBeText(contentType) == (before != nil))
        }
    }
}

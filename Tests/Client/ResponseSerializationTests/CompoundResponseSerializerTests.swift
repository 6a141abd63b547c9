import ErrandHTTPGrammar
import ErrandResponseSerialization
import Testing

@Suite("The compound response serializer")
struct CompoundResponseSerializerTests {
    private let serializer = CompoundResponseSerializer([.json, .xml, .text])

    @Test("returns the first object that one of its serializers produces")
    func first() throws {
        #expect(try serializer.text("[1]", "application/json") == "json: [1]")
        let element = #"{"name":"a","attributes":{},"children":[]}"#
        #expect(try serializer.text("<a/>", "text/xml") == "xml: made anew: \(element)")
        #expect(try serializer.text("<a/>", "text/plain") == #"text: made anew: "<a/>""#)
    }

    @Test("tries only those that accept the content type")
    func types() throws {
        #expect(try CompoundResponseSerializer([.json, .xml]).text("[1]", "text/plain") == "raw")
        #expect(try CompoundResponseSerializer([.xml, .text]).text("[1]", "application/json") == "raw")
    }

    @Test("tries all of them if the response has no content type")
    func noType() throws {
        #expect(try serializer.text("[1]") == "json: [1]")
        #expect(try serializer.text("hello") == #"text: made anew: "hello""#)
    }

    @Test("continues with the next one if one cannot read the content")
    func goesOn() throws {
        #expect(try serializer.text("[1", "text/json") == #"text: made anew: "[1""#)
        #expect(try serializer.text("<a>", "text/xml") == #"text: made anew: "<a>""#)
        #expect(try CompoundResponseSerializer([.image, .json]).text("[]") == "json: []")
    }

    @Test("continues with the next one if one produces no object")
    func nothing() throws {
        #expect(try CompoundResponseSerializer([.raw, .json]).text("[]", "application/json") == "json: []")
        #expect(try CompoundResponseSerializer([.json, .text]).text(" ") == #"text: made anew: " ""#)
    }

    @Test("returns no object, and no error, if none can read the content")
    func none() throws {
        #expect(try CompoundResponseSerializer([.json, .xml]).text("nonsense", "application/json") == "raw")
        #expect(try CompoundResponseSerializer([.json, .raw]).text("nonsense", "application/json") == "raw")
        #expect(try serializer.text([], "application/json") == "raw")
    }

    @Test("accepts the types of all, and any type if one of them does")
    func contentTypes() {
        #expect(
            CompoundResponseSerializer([.json, .xml, .json]).acceptableContentTypes?.map(\.description)
                == ["application/json", "text/json", "text/javascript", "application/xml", "text/xml"])
        #expect(CompoundResponseSerializer([.json, .raw]).acceptableContentTypes == nil)
        #expect(CompoundResponseSerializer([.auto, .json]).acceptableContentTypes == nil)
    }

    @Test("reads content if one of its serializers does")
    func readsContent() {
        #expect(CompoundResponseSerializer([.raw, .json]).readsContent(of: nil))
        #expect(!CompoundResponseSerializer([.raw, .raw]).readsContent(of: nil))
        #expect(!CompoundResponseSerializer([.json, .raw]).readsContent(of: MediaType("video/mp4")))
    }
}

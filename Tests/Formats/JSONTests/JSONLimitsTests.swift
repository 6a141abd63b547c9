import ErrandJSON
import Testing

@Suite("Limits of JSON")
struct JSONLimitsTests {
    @Test("A depth is clamped to the supported range")
    func clamping() {
        #expect(JSONLimits().maxDepth == 512)
        #expect(JSONLimits(maxDepth: 7).maxDepth == 7)
        #expect(JSONLimits(maxDepth: .max).maxDepth == JSONLimits.greatestDepth)
        #expect(JSONLimits(maxDepth: .min).maxDepth == 0)
    }

    @Test("Depth 0 allows only scalars")
    func scalars() {
        let limits = JSONLimits(maxDepth: 0)
        for text in ["1", "\"[[\"", "null"] {
            #expect(parsingError(Array(text.utf8), limits) == nil)
            #expect(validationError(Array(text.utf8), limits) == nil)
        }
        for text in ["[]", "{}"] {
            #expect(parsingError(Array(text.utf8), limits)?.reason == .tooDeep)
            #expect(validationError(Array(text.utf8), limits)?.reason == .tooDeep)
        }
    }

    @Test(
        "Exactly the allowed number of levels is accepted, whether they are empty or not",
        arguments: ["[[[]]]", "[[[1]]]", #"{"a":{"b":{}}}"#, #"[{"a":[0]}]"#, "[[],[[]],[[],[]]]"])
    func levels(text: String) {
        let bytes = Array(text.utf8)
        #expect(parsingError(bytes, JSONLimits(maxDepth: 3)) == nil)
        #expect(validationError(bytes, JSONLimits(maxDepth: 3)) == nil)
        let errors = [
            parsingError(bytes, JSONLimits(maxDepth: 2)), validationError(bytes, JSONLimits(maxDepth: 2)),
        ]
        #expect(errors.map { $0?.reason } == [.tooDeep, .tooDeep])
        #expect(errors.first??.offset == errors.last??.offset)
    }

    @Test(
        "A million opening brackets are refused at the first that is too deep", arguments: ["[", "{\"\":", "[[{\"a\":"])
    func hostileDepth(opening: String) {
        let bytes = Array(String(repeating: opening, count: 1_000_000 / opening.utf8.count).utf8)
        #expect(parsingError(bytes)?.reason == .tooDeep)
        #expect(validationError(bytes)?.reason == .tooDeep)
        #expect(validationError(bytes)?.offset == parsingError(bytes)?.offset)
    }
}

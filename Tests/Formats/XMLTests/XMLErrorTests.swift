import ErrandXML
import Testing

@Suite("Errors of XML")
struct XMLErrorTests {
    @Test("An error has a line and a column, counted from 1, in characters")
    func place() {
        #expect(refusal("<a>\n <é></e>\n</a>")?.description == "mismatched tag (line 2, column 7)")
        #expect(refusal("")?.description == "no element found (line 1, column 1)")
        #expect(
            refusal("<a>\n<b>", XMLLimits(maxDepth: 1))?.description
                == "elements are nested more than 1 deep (line 2, column 1)")
    }

    @Test("Only the first fault is reported")
    func first() {
        let error = refusal("<!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST a b CDATA 'c'>]><a>", XMLLimits(maxDepth: 0))
        #expect(error?.message == "declarations of entities are not allowed")
    }
}

import ErrandTransfer
import HTTPTypes
import Testing

@Suite("ResponseHead: the length of the content")
struct ResponseHeadContentLengthTests {
    private func head(_ values: [String], status: Int = 200, coding: String? = nil) -> ResponseHead {
        var headers = HTTPFields()
        for value in values { headers.append(HTTPField(name: .contentLength, value: value)) }
        if let coding { headers[.transferEncoding] = coding }
        return ResponseHead(status: status, headers: headers)
    }

    @Test(
        "is the number on which all values agree",
        arguments: [
            ([], nil), (["0"], 0), (["5"], 5), (["5", "5"], 5), (["5, 5"], 5), (["5 ,\t5", "05"], 5),
            (["9223372036854775807"], Int64.max),
        ] as [([String], Int64?)])
    func known(values: [String], length: Int64?) throws {
        #expect(try head(values).contentLength(toHEAD: false) == length)
    }

    @Test(
        "is unknown if it is not a number, too large or contradictory",
        arguments: [
            [""], [" "], ["-1"], ["+1"], ["0x10"], ["1e3"], ["5.0"], ["5 5"], ["5,"], [",5"], ["5,6"], ["5", "6"],
            ["9223372036854775808"], ["99999999999999999999999999999999999999"], ["5", "x"],
        ])
    func unknown(values: [String]) throws {
        let error = #expect(throws: TransferError.self) { try head(values).contentLength(toHEAD: false) }
        #expect(error?.code == .cannotParseResponse)
    }

    @Test("is ignored if there is no content, or with another framing")
    func irrelevant() throws {
        #expect(try head(["x"]).contentLength(toHEAD: true) == 0)
        #expect(try head(["5", "6"], status: 204).contentLength(toHEAD: false) == 0)
        #expect(try head(["5", "6"], status: 304).contentLength(toHEAD: false) == 0)
        #expect(try head(["5", "6"], coding: "chunked").contentLength(toHEAD: false) == nil)
    }
}

import ErrandTransfer
import HTTPTypes

extension FuzzTarget {
    /// Fuzzes the lines of a response head: at most one final head, within the limits, for all line ends.
    static let responseHead = FuzzTarget("response-head", maxBytes: 4096) { input in
        var parser = ResponseHeadParser()
        var bareParser = ResponseHeadParser()
        var heads = 0
        var hasFailed = false
        for line in InputText.lines(input) {
            let event = parser.consume(Array(line + Array("\r\n".utf8)).span)
            let bare = Array(line.reversed().drop { $0 == UInt8(ascii: "\r") }.reversed())
            try expect(bareParser.consume(bare.span) == event, "line ends make no difference")
            switch event {
            case .more: break
            case .failed(let error):
                try expect(!hasFailed, "a failure ends the reading")
                try expect(
                    error.code == .transportError || heads == 0 && error.code == .cannotParseResponse,
                    "only the limits hold for what follows the head")
                hasFailed = true
            case .head(let head):
                heads += 1
                try expect(!hasFailed && heads == 1, "there is one end of the head")
                try judge(head)
            }
        }
    }

    private static func judge(_ head: ResponseHead) throws(BrokenPromise) {
        try expect((200...999).contains(head.status), "a final status: \(head.status)")
        try expect(head.headers.count <= ResponseHeadParser.maxFields, "the limit of fields holds")
        for field in head.headers {
            try expect(!field.name.rawName.isEmpty, "a field has a name")
            try expect(
                !field.value.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "a value is one line"
            )
        }
    }
}

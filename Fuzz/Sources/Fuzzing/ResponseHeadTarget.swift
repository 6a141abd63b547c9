import HTTPTypes
import Transfer

extension FuzzTarget {
    /// The lines of a response's head: one final head at most, within the limits, whatever the line ends are.
    static let responseHead = FuzzTarget("response-head", maxBytes: 4096) { input in
        var parser = ResponseHeadParser()
        var bareParser = ResponseHeadParser()
        var heads = 0
        for line in InputText.lines(input) {
            let event = parser.consume(Array(line + Array("\r\n".utf8)).span)
            let bare = Array(line.reversed().drop { $0 == UInt8(ascii: "\r") }.reversed())
            try expect(bareParser.consume(bare.span) == event, "line ends make no difference")
            switch event {
            case .more: break
            case .failed(let error):
                try expect(heads == 0 && error.code == .transportError, "a failure ends the reading")
                heads += 1
            case .head(let head):
                heads += 1
                try judge(head)
            }
            try expect(heads <= 1, "there is one end")
        }
    }

    private static func judge(_ head: ResponseHead) throws(BrokenPromise) {
        try expect((200...999).contains(head.status), "a final status: \(head.status)")
        try expect(head.headers.count <= ResponseHeadParser.maxFields, "the limit of fields holds")
        for field in head.headers {
            try expect(!field.name.rawName.isEmpty, "a field has a name")
            try expect(
                !field.value.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "no value reaches into another line"
            )
        }
    }
}

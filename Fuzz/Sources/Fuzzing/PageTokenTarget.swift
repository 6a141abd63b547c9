import ErrandTaskStore
import ErrandTime

extension FuzzTarget {
    /// Fuzzes values that clients return or write into queries: page tokens, task identifiers, timestamps.
    static let pageToken = FuzzTarget("page-token", maxBytes: 128) { input in
        let text = InputText.text(input)
        if let token = PageToken(text) {
            try expect(token.description == text, "a token is what it was made as")
            try expect(token.position(in: TaskQuery()) == nil || text.utf8.count == 34, "it has one length")
        }
        if let id = TaskID(text) {
            try expect(id.description == text.lowercased(), "an identifier is what it was made as")
            try expect(TaskID(bytes: id.bytes) == id, "its bytes are the identifier")
            let token = PageToken(last: id, query: TaskQuery())
            try expect(PageToken(token.description)?.position(in: TaskQuery()) == id, "a token names its task")
        }
        if let time = Timestamp(text) {
            try expect(Timestamp(time.description) == time, "a time round-trips")
            try expect(time >= .earliest && time <= .latest, "a time has four digits for its year")
        }
    }
}

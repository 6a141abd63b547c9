import ErrandDownloads

extension FuzzTarget {
    /// Fuzzes the value of `Content-Range`.
    static let contentRange = FuzzTarget("content-range", maxBytes: 128) { input in
        guard let range = ContentRange(InputText.fieldText(input[...])) else { return }
        let total = range.total.map(String.init) ?? "*"
        let text: String
        if let positions = range.positions {
            try expect(positions.lowerBound >= 0, "a part begins at the first byte or after it")
            try expect(positions.upperBound < range.total ?? .max, "a part lies within the content")
            text = "bytes \(positions.lowerBound)-\(positions.upperBound)/\(total)"
        } else {
            try expect(range.total != nil, "a response without a part states the number of bytes")
            text = "bytes */\(total)"
        }
        try expect(ContentRange(text) == range, "a range round-trips")
    }
}

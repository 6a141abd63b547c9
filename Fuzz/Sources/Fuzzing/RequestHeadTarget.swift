import ErrandHTTPGrammar
import ErrandHTTPServer
import HTTPTypes

extension FuzzTarget {
    /// Fuzzes a request target, on the first line, and header fields: an accepted head has a single interpretation.
    static let requestHead = FuzzTarget("request-head", maxBytes: 4096) { input in
        let lines = InputText.lines(input)
        try judgeTarget(InputText.fieldText(lines[0]))
        var validator = HeadValidator()
        var counts: [String: Int] = [:]
        for line in lines.dropFirst() {
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let name = InputText.fieldText(line[..<colon])
            validator.add(name: name, value: InputText.fieldText(line[colon...].dropFirst()))
            // The name as the most lenient parser on the path would read it, without characters that are illegal in
            // names.
            let token = name.lowercased().utf8.filter(Token.isTokenCharacter)
            counts[String(decoding: token, as: UTF8.self), default: 0] += 1
        }
        for isHTTP10 in [false, true] {
            guard let verdict = try? validator.verdict(isHTTP10: isHTTP10) else { continue }
            let lengths = counts["content-length", default: 0]
            let encodings = counts["transfer-encoding", default: 0]
            try expect(lengths + encodings <= 1, "the framing is unambiguous")
            try expect(isHTTP10 || counts["host"] == 1, "there is one host")
            try expect(counts["host", default: 0] <= 1, "there is not more than one host")
            switch verdict.framing {
            case .none: try expect(encodings == 0, "a coding means content")
            case .length(let bytes): try expect(lengths == 1 && bytes > 0, "a length is that of the field")
            case .chunked: try expect(encodings == 1 && !isHTTP10, "chunks are those of the field")
            }
            try expect(
                validator.fields.allSatisfy { HTTPFieldValue.isOneLine($0.value) }, "a header field is one line")
        }
    }

    private static func judgeTarget(_ text: String) throws(BrokenPromise) {
        guard let target = try? RequestTarget(text) else { return }
        try expect(target.description == text, "a target is never changed")
        try expect(target.query.map { "\(target.path)?\($0)" } ?? target.path == text, "path and query are the target")
        guard text != "*" else { return }
        try expect(text.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a target is visible ASCII")
        let slashes = target.path.utf8.count { $0 == UInt8(ascii: "/") }
        try expect(target.segments.count == slashes, "each slash begins a segment, and no escape does")
        try expect(!target.segments.contains { $0.utf8.contains(0) }, "no segment ends early")
        let ampersands = target.query?.utf8.count { $0 == UInt8(ascii: "&") } ?? 0
        try expect(target.queryItems.count <= ampersands + 1, "an item lies between two ampersands")
    }
}

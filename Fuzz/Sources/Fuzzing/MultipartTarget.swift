import ErrandHTTPGrammar

extension FuzzTarget {
    /// Fuzzes the bodies of forms.
    ///
    /// The result does not depend on the pieces in which the bytes arrive, and the parts of a form, written again, are
    /// the same form. Each byte of the first line is the length of a piece (`a` is 1, `b` is 2), in turn; the body
    /// follows, with the boundary `B`.
    static let multipart = FuzzTarget("multipart") { input in
        let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
        let sizes = input[..<end].map { 1 + Int(($0 &- 1) & 31) }
        let body = Array(input[end...].dropFirst())
        let whole = ParsedForm(body, pieces: [])
        try expect(ParsedForm(body, pieces: [1]) == whole, "the result is the same for single bytes")
        try expect(ParsedForm(body, pieces: sizes) == whole, "the result is the same however the bytes arrive")
        if let fault = whole.fault {
            try expect((0...Int64(body.count)).contains(fault.offset), "a fault has a place in the body")
        } else {
            try expect(whole.parts.allSatisfy(\.isEnded), "the parts of an accepted form have an end")
            let contents = whole.parts.map(\.content)
            try expect(
                contents.allSatisfy { !contains($0, Array("\r\n--B".utf8)) }, "no content contains the delimiter")
            let again = ParsedForm(written(contents), pieces: [])
            try expect(again.fault == nil && again.parts.map(\.content) == contents, "contents round-trip")
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    /// Returns a form with these contents.
    private static func written(_ contents: [[UInt8]]) -> [UInt8] {
        var body: [UInt8] = []
        for content in contents {
            body +=
                Array("--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8) + content + Array("\r\n".utf8)
        }
        return body + Array("--B--\r\n".utf8)
    }
}

/// The parts of a form up to its first fault.
private struct ParsedForm: Equatable {
    struct Part: Equatable {
        var head: MultipartPartHead
        var content: [UInt8] = []
        var isEnded = false
    }

    var parts: [Part] = []
    var fault: MultipartFault?

    init(_ body: [UInt8], pieces sizes: [Int]) {
        guard var parser = MultipartParser(boundary: "B") else { return }
        do throws(MultipartFault) {
            var (start, turn) = (0, 0)
            while start < body.count {
                let size = sizes.isEmpty ? body.count : sizes[turn % sizes.count]
                let end = min(body.count, start + size)
                add(try parser.parse(Array(body[start..<end])))
                (start, turn) = (end, turn + 1)
            }
            try parser.finish()
        } catch {
            fault = error
            // The bytes before a fault are passed on or not, as they arrive.
            parts = []
        }
    }

    private mutating func add(_ events: [MultipartParser.Event]) {
        for event in events {
            switch event {
            case .begin(let head): parts.append(Part(head: head))
            case .content(let bytes): parts[parts.count - 1].content += bytes
            case .end: parts[parts.count - 1].isEnded = true
            }
        }
    }
}

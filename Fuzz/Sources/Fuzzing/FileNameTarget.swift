import ErrandDownloads
import ErrandHTTPGrammar

extension FuzzTarget {
    /// Fuzzes the names that a response and its URL suggest for a file: `Content-Disposition`, a line feed, the URL.
    static let fileName = FuzzTarget("file-name") { input in
        let lines = InputText.lines(input)
        let field = InputText.fieldText(lines[0])
        let names = SuggestedFileNames(
            contentDisposition: field, url: lines.count > 1 ? InputText.fieldText(lines[1]) : "")
        for maxBytes in [FileName.maxBytes, 8, 1] {
            guard let name = names.name(maxBytes: maxBytes) else {
                throw BrokenPromise(description: "every response has a name")
            }
            try expect(name.text.utf8.count <= maxBytes, "a name has at most \(maxBytes) bytes")
            try expect((try? FileName(name.text)) == name, "a name is allowed as it is")
            try expect(FileName(suggestedBy: name.text, maxBytes: maxBytes) == name, "a name suggests itself")
            try expect(
                !name.text.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") },
                "a name is one visible component")
        }
        guard let disposition = ContentDisposition(field), let filename = disposition.filename else { return }
        let written = "\(disposition.type); filename=\(ParameterValue.quoted(filename))"
        try expect(ContentDisposition(written)?.filename == filename, "a file name round-trips")
    }
}

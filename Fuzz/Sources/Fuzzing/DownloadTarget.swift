import ErrandDownloads
import ErrandTransfer
import HTTPTypes

extension FuzzTarget {
    /// Fuzzes the responses to the requests of a download.
    ///
    /// Each line is a response: the status, the number of bytes that arrive, the number of these that are written, and
    /// the values of `Content-Length`, `Content-Range`, `ETag`, `Last-Modified`, `Content-Encoding` and `Accept-Ranges`,
    /// separated by tabs. An empty value is no field.
    static let download = FuzzTarget("download", maxBytes: 1024) { input in
        var machine = DownloadMachine()
        var file = PartialContent()
        for line in InputText.lines(input).prefix(32) {
            let response = ScriptedResponse(line)
            let asked = machine.ask(isGet: true)
            if let asked {
                try expect(
                    asked.offset > 0 && asked.offset == file.length, "a request continues at the end of the file")
                try expect(!asked.validator.hasPrefix("W/"), "a request depends on a strong validator")
            }
            let action = machine.received(response.head, isAcceptable: (200...299).contains(response.head.status))
            switch action {
            case .startAgain, .refuse:
                if case .startAgain = action {
                    try expect(!machine.isResumable, "a restart asks for the whole content")
                }
                file.length = machine.position
                continue
            case .keepInMemory:
                break
            case .write(let offset):
                try expect(
                    offset == 0 || offset == asked?.offset, "content begins at byte 0, or where it was asked for")
                try expect(offset <= file.length, "the file has no hole")
                if offset > 0 {
                    let tag = response.head.headers[.eTag]
                    try expect(tag == nil || file.tag == nil || tag == file.tag, "a file has bytes of one version")
                } else {
                    file.tag = response.head.headers[.eTag]
                }
                machine.received(bytes: response.received)
                file.length = offset + Int64(min(response.written, response.received))
                machine.settle(written: file.length)
            }
            if response.written < response.received { continue }
            switch machine.ended() {
            case .complete:
                try judgeComplete(file, machine, action, response)
                return
            case .unfinished:
                try expect(machine.position == file.length, "the machine knows the length of the file")
            case .wrongLength:
                try expect(!machine.isResumable, "content of another length than announced is not resumed")
                file.length = 0
            }
        }
    }

    private static func judgeComplete(
        _ file: PartialContent, _ machine: DownloadMachine, _ action: DownloadMachine.Action,
        _ response: ScriptedResponse
    ) throws(BrokenPromise) {
        // A complete response of another status ends the download too, with nothing to publish.
        guard case .write = action else { return }
        try expect(machine.position == file.length, "the machine knows the length of the file")
        if let total = machine.total { try expect(file.length == total, "a complete file has the announced length") }
    }
}

/// The bytes of a download that were written.
private struct PartialContent {
    var length: Int64 = 0
    /// The entity tag of the response whose content the file begins with.
    var tag: String?
}

/// A response of a line of an input.
private struct ScriptedResponse {
    var head: ResponseHead
    var received: Int
    var written: Int

    private static let fields: [HTTPField.Name] = [
        .contentLength, .contentRange, .eTag, .lastModified, .contentEncoding, .acceptRanges,
    ]

    init(_ line: ArraySlice<UInt8>) {
        let words = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { InputText.fieldText($0) }
        let number = { (index: Int) in words.count > index ? Int(words[index]) : nil }
        head = ResponseHead(status: min(max(number(0) ?? 200, 200), 999))
        received = min(max(number(1) ?? 0, 0), 1 << 40)
        written = min(max(number(2) ?? received, 0), received)
        for (name, value) in zip(Self.fields, words.dropFirst(3)) where !value.isEmpty {
            head.headers[name] = value
        }
        head.headers[.date] = "Mon, 23 Nov 2026 12:00:00 GMT"
    }
}

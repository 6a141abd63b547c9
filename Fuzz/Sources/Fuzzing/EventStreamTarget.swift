import ErrandTaskEvents

extension FuzzTarget {
    /// Fuzzes the event streams of clients.
    ///
    /// The first line is `Last-Event-ID`; the rest is the data of an event.
    static let eventStream = FuzzTarget("event-stream", maxBytes: 512) { input in
        let line = input.prefix { $0 != UInt8(ascii: "\n") }
        let data = Array(input.dropFirst(line.count + 1))
        if let id = LastEventID(InputText.text(Array(line))) {
            try expect(id.number >= 0, "an event's number is not negative")
            try expect(LastEventID("\(id.number)") == id, "a number round-trips")
        }
        var writer = EventStreamWriter()
        writer.event("task.queued", id: 7, json: data)
        let lines = writer.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        try expect(lines.count == 5 && lines[3].isEmpty && lines[4].isEmpty, "an event is three fields and its end")
        try expect(lines[0].elementsEqual("id: 7".utf8), "its number is the first")
        try expect(lines[1].elementsEqual("event: task.queued".utf8), "its name the second")
        let told = Array(lines[2].dropFirst("data: ".utf8.count))
        try expect(lines[2].starts(with: "data: ".utf8) && told.count == data.count, "its data the third")
        try expect(!told.contains(UInt8(ascii: "\r")), "data is one line")
        try expect(
            zip(told, data).allSatisfy { $0 == $1 || $0 == UInt8(ascii: " ") && ($1 == 10 || $1 == 13) }, "as is")
    }
}

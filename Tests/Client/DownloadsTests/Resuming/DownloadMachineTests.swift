import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandDownloads

@Suite("The machine of a download")
struct DownloadMachineTests {
    private let data = DownloadResumeData(
        url: "http://a.com/", validator: #""v1""#, received: 4, total: 10, partialPath: "a")

    /// A machine that has asked for the bytes after the fourth.
    private func resumed() -> DownloadMachine {
        var machine = DownloadMachine(resuming: data)
        let asked = machine.ask(isGet: true)
        #expect(asked?.offset == 4)
        #expect(asked?.validator == #""v1""#)
        return machine
    }

    private func head(_ status: Int, _ headers: HTTPFields = [:]) -> ResponseHead {
        ResponseHead(status: status, headers: headers)
    }

    @Test("asks for the whole content first, and then for what is missing")
    func asking() {
        var machine = DownloadMachine()
        #expect(machine.ask(isGet: true) == nil)
        let whole = head(200, [.eTag: #""v1""#, .contentLength: "10"])
        #expect(machine.received(whole, isAcceptable: true) == .write(from: 0))
        #expect(machine.total == 10)
        machine.received(bytes: 4)
        #expect(machine.isResumable)
        let asked = machine.ask(isGet: true)
        #expect(asked?.offset == 4)
        let part = head(206, [.contentRange: "bytes 4-9/10"])
        #expect(machine.received(part, isAcceptable: true) == .write(from: 4))
        machine.received(bytes: 6)
        #expect(machine.ended() == .complete)
    }

    @Test(
        "cannot resume content without a strong validator, encoded content, or content of other methods",
        arguments: [
            ([.contentLength: "10"], true), ([.eTag: #"W/"v1""#], true),
            ([.eTag: #""v1""#, .contentEncoding: "gzip"], true), ([.eTag: #""v1""#, .acceptRanges: "none"], true),
            ([.eTag: #""v1""#], false),
        ] as [(HTTPFields, Bool)])
    func notResumable(headers: HTTPFields, isGet: Bool) {
        var machine = DownloadMachine()
        #expect(machine.ask(isGet: isGet) == nil)
        #expect(machine.received(head(200, headers), isAcceptable: true) == .write(from: 0))
        machine.received(bytes: 4)
        #expect(!machine.isResumable)
        #expect(machine.ask(isGet: isGet) == nil)
        #expect(machine.position == 0)
    }

    @Test("begins again after a part of content that has changed, or that is encoded")
    func changed() {
        for headers: HTTPFields in [
            [.contentRange: "bytes 4-9/10", .eTag: #""v2""#],
            [.contentRange: "bytes 4-9/10", .contentEncoding: "gzip"],
        ] {
            var machine = resumed()
            #expect(machine.received(head(206, headers), isAcceptable: true) == .startAgain)
            #expect(machine.ask(isGet: true) == nil)
            #expect(machine.position == 0)
        }
        var machine = resumed()
        #expect(machine.received(head(200, [.contentEncoding: "gzip"]), isAcceptable: true) == .startAgain)
    }

    @Test("takes the whole content from its first byte")
    func whole() {
        var machine = resumed()
        let whole = head(200, [.eTag: #""v2""#, .contentLength: "3"])
        #expect(machine.received(whole, isAcceptable: true) == .write(from: 0))
        #expect(machine.position == 0)
        #expect(machine.validator?.text == #""v2""#)
        machine.received(bytes: 3)
        #expect(machine.ended() == .complete)
    }

    @Test("is complete if nothing is left, as a 416 states it, and otherwise begins again")
    func unsatisfied() {
        let data = DownloadResumeData(url: "http://a.com/", validator: #""v1""#, received: 4, partialPath: "a")
        for (range, isComplete) in [("bytes */4", true), ("bytes */5", false), ("bytes 0-3/4", false), ("4", false)] {
            var machine = DownloadMachine(resuming: data)
            #expect(machine.ask(isGet: true)?.offset == 4)
            let action = machine.received(head(416, [.contentRange: range]), isAcceptable: false)
            #expect(action == (isComplete ? .keepInMemory : .startAgain))
            #expect(machine.isComplete == isComplete)
        }
        var contradictory = resumed()
        let action = contradictory.received(head(416, [.contentRange: "bytes */4"]), isAcceptable: false)
        #expect(action == .startAgain)
    }

    @Test("keeps what it has after an unsuccessful response")
    func unsuccessful() {
        var machine = resumed()
        #expect(machine.received(head(503), isAcceptable: false) == .keepInMemory)
        #expect(machine.isResumable)
        #expect(machine.position == 4)
    }

    @Test("keeps what it has after a redirect, even if its status is acceptable", arguments: [301, 302, 303, 307, 308])
    func redirected(status: Int) {
        var machine = resumed()
        #expect(machine.received(head(status, [.location: "/b"]), isAcceptable: true) == .keepInMemory)
        #expect(machine.isResumable)
        let part = head(206, [.contentRange: "bytes 4-9/10"])
        #expect(machine.received(part, isAcceptable: true) == .write(from: 4))
        #expect(machine.received(head(status), isAcceptable: true) == .write(from: 0))
    }

    @Test("refuses a part that was not asked for")
    func uninvited() {
        var machine = DownloadMachine()
        #expect(machine.ask(isGet: true) == nil)
        let part = head(206, [.contentRange: "bytes 0-9/10"])
        guard case .refuse = machine.received(part, isAcceptable: true) else {
            Issue.record("The part is not refused")
            return
        }
    }

    @Test("asks again after a part that is not the last, or may not be")
    func unfinished() {
        var machine = resumed()
        #expect(machine.received(head(206, [.contentRange: "bytes 4-6/10"]), isAcceptable: true) == .write(from: 4))
        machine.received(bytes: 3)
        #expect(machine.ended() == .unfinished)
        #expect(machine.ask(isGet: true)?.offset == 7)
    }

    @Test("never asks again for the same bytes")
    func noProgress() {
        var machine = resumed()
        #expect(machine.received(head(503), isAcceptable: false) == .keepInMemory)
        #expect(machine.ended() == .wrongLength)
        #expect(machine.ask(isGet: true) == nil)
    }

    @Test("refuses a part with another length than its range")
    func wrongLength() {
        var machine = resumed()
        #expect(machine.received(head(206, [.contentRange: "bytes 4-9/10"]), isAcceptable: true) == .write(from: 4))
        machine.received(bytes: 5)
        #expect(machine.ended() == .wrongLength)
        #expect(!machine.isResumable)
    }

    @Test("resumes at the end of the partial file, at most where its data say")
    func partialFile() {
        for (bytes, offset) in [(2, 2), (4, 4), (9, 4)] as [(Int64, Int64)] {
            var machine = DownloadMachine(resuming: data)
            machine.found(fileBytes: bytes)
            #expect(machine.ask(isGet: true)?.offset == offset)
        }
        var machine = DownloadMachine(resuming: data)
        machine.found(fileBytes: 0)
        #expect(machine.ask(isGet: true) == nil)
    }

    @Test("ignores data of another version")
    func version() {
        var other = data
        other.version = 2
        var machine = DownloadMachine(resuming: other)
        #expect(machine.ask(isGet: true) == nil)
    }

    // MARK: Parts

    /// A machine that has asked for a first part of at most four bytes.
    private func divided(_ headers: HTTPFields, status: Int = 206) -> (DownloadMachine, DownloadMachine.Action) {
        var machine = DownloadMachine()
        let asked = machine.ask(isGet: true, atMost: 4)
        #expect(asked?.offset == 0)
        #expect(asked?.end == 4)
        #expect(asked?.validator == nil)
        let action = machine.received(head(status, headers), isAcceptable: (200...299).contains(status))
        return (machine, action)
    }

    @Test("learns the size of the content from its first part")
    func firstPart() {
        var (machine, action) = divided([.eTag: #""v1""#, .contentRange: "bytes 0-3/10"])
        #expect(action == .write(from: 0))
        #expect(machine.part == 0..<4)
        #expect(machine.total == 10)
        machine.received(bytes: 4)
        #expect(machine.ended() == .unfinished)
        let next = machine.ask(isGet: true, atMost: 100)
        #expect(next?.offset == 4)
        #expect(next?.end == 10)
        #expect(next?.validator == #""v1""#)
    }

    @Test("needs no validator if the first part is all of the content")
    func onlyPart() {
        var (machine, action) = divided([.contentRange: "bytes 0-1/2"])
        #expect(action == .write(from: 0))
        machine.received(bytes: 2)
        #expect(machine.ended() == .complete)
    }

    @Test(
        "asks for the whole content after a first part that cannot be continued",
        arguments: [
            (206, [.contentRange: "bytes 0-3/10"]), (206, [.eTag: #"W/"v1""#, .contentRange: "bytes 0-3/10"]),
            (206, [.eTag: #""v1""#, .contentRange: "bytes 0-3/*"]), (206, [.eTag: #""v1""#]),
            (206, [.eTag: #""v1""#, .contentRange: "bytes 0-4/10"]),
            (206, [.eTag: #""v1""#, .contentRange: "bytes 1-3/10"]),
            (206, [.eTag: #""v1""#, .contentRange: "bytes 0-3/10", .contentEncoding: "gzip"]),
            (206, [.eTag: #""v1""#, .contentRange: "bytes 0-3/10", .acceptRanges: "none"]),
            (416, [.contentRange: "bytes */0"]),
        ] as [(Int, HTTPFields)])
    func indivisible(status: Int, headers: HTTPFields) {
        var (machine, action) = divided(headers, status: status)
        #expect(action == .startAgain)
        #expect(machine.ask(isGet: true, atMost: 4) == nil)
    }

    @Test("takes the whole content of a server without parts")
    func withoutParts() {
        var (machine, action) = divided([.eTag: #""v1""#, .contentLength: "10"], status: 200)
        #expect(action == .write(from: 0))
        #expect(machine.part == nil)
        machine.received(bytes: 10)
        #expect(machine.ended() == .complete)
    }
}

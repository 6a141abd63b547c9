import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandDownloads

@Suite("The parts of a download")
struct DownloadPartsTests {
    private static let mebibyte: Int64 = 1 << 20

    private func parts(
        _ total: Int64, written: [Range<Int64>] = [], connections: Int = 4
    ) throws -> DownloadParts {
        DownloadParts(
            total: total, try #require(StrongValidator(#""v1""#)), written: ByteRanges(written),
            first: 0..<Self.mebibyte, connections: connections)
    }

    private func claim(_ parts: inout DownloadParts) throws -> DownloadParts.Part {
        let part = parts.claim()
        return try #require(part)
    }

    private func head(_ status: Int, _ headers: HTTPFields = [:]) -> ResponseHead {
        ResponseHead(status: status, headers: headers)
    }

    /// The head of the response with a part.
    private func head(of part: DownloadParts.Part, total: Int64) -> ResponseHead {
        head(
            206,
            [.eTag: #""v1""#, .contentRange: "bytes \(part.range.lowerBound)-\(part.range.upperBound - 1)/\(total)"])
    }

    @Test("cover the content once, in shares of what is left, and none is smaller than a mebibyte except the last")
    func claims() throws {
        let total = 100 * Self.mebibyte + 7
        var parts = try parts(total)
        var covered = ByteRanges([0..<Self.mebibyte])
        var sizes: [Int64] = []
        while let part = parts.claim() {
            #expect(part.range.lowerBound == covered.prefix)
            covered.insert(part.range)
            sizes.append(Int64(part.range.count))
        }
        #expect(covered.ranges == [0..<total])
        #expect(sizes.first == (total - Self.mebibyte) / 8)
        #expect(sizes.dropLast().allSatisfy { $0 >= Self.mebibyte })
        #expect(sizes == sizes.sorted(by: >))
    }

    @Test(
        "need no more connections than there are mebibytes left",
        arguments: [(1 << 20, 0), (1 << 20 | 1, 1), (3 << 20, 2), (100 << 20, 3)] as [(Int64, Int)])
    func further(total: Int64, connections: Int) throws {
        #expect(try parts(total).furtherConnections == connections)
    }

    @Test("leave what a failed part has not written to the next claim, and are complete when all is written")
    func failed() throws {
        let total = 3 * Self.mebibyte
        var parts = try parts(total)
        let part = try claim(&parts)
        let action = parts.received(head(of: part, total: total), of: part.number, isAcceptable: true)
        #expect(action == .write(upTo: part.range.upperBound))
        #expect(parts.received(bytes: 100, of: part.number) == true)
        #expect(parts.received == 100)
        parts.didWrite(60, of: part.number)
        #expect(parts.offset(of: part.number) == part.range.lowerBound + 60)
        #expect(parts.end(part.number) == 60)
        #expect(parts.received == 60)
        #expect(parts.received(bytes: 1, of: part.number) == false, "an ended part takes nothing")
        let rest = try claim(&parts)
        #expect(rest.range.lowerBound == part.range.lowerBound + 60)
        var next: DownloadParts.Part? = rest
        while let part = next {
            parts.didWrite(part.range.count, of: part.number)
            _ = parts.end(part.number)
            next = parts.claim()
        }
        #expect(parts.written.prefix == 0)
        parts.firstDidEnd(at: Self.mebibyte)
        #expect(parts.written.ranges == [0..<total])
    }

    @Test("include what a lost first response lacks, which is claimed first")
    func firstLost() throws {
        let total = 3 * Self.mebibyte
        var parts = try parts(total)
        let other = try claim(&parts)
        #expect(parts.goOnWithoutFirst() == false, "the first response has not ended")
        #expect(parts.firstWasLost(at: 1000) == 1000)
        #expect(parts.isFirstLost)
        #expect(!parts.isUseless)
        #expect(parts.written.ranges == [0..<1000])
        let rest = try claim(&parts)
        #expect(rest.range == 1000..<Self.mebibyte)
        _ = parts.end(rest.number)
        #expect(try claim(&parts).range == rest.range)
        #expect(other.range.lowerBound == Self.mebibyte)
    }

    @Test("count what a lost first response has brought itself", arguments: [(0, 0), (5, 0), (1 << 20, 1 << 20 - 10)])
    func broughtByFirst(position: Int64, bytes: Int64) throws {
        var parts = DownloadParts(
            total: 3 * Self.mebibyte, try #require(StrongValidator(#""v1""#)), written: ByteRanges([0..<10]),
            first: 10..<Self.mebibyte, connections: 4)
        #expect(parts.firstWasLost(at: position) == bytes)
    }

    @Test("go on without a lost first response as long as they bring enough, until nothing is left")
    func goOn() throws {
        let total = 2 * Self.mebibyte
        var parts = try parts(total)
        _ = parts.firstWasLost(at: 0)
        #expect(parts.goOnWithoutFirst() == false, "no other connection has brought anything")
        while let part = parts.claim() {
            let bytes = min(Int(DownloadParts.minProgress), part.range.count)
            _ = parts.received(head(of: part, total: total), of: part.number, isAcceptable: true)
            #expect(parts.received(bytes: bytes - 1, of: part.number) == true)
            #expect(parts.goOnWithoutFirst() == false)
            #expect(parts.received(bytes: 1, of: part.number) == true)
            parts.didWrite(bytes, of: part.number)
            _ = parts.end(part.number)
            #expect(parts.goOnWithoutFirst() == (parts.written.prefix < total))
            #expect(parts.goOnWithoutFirst() == false, "nothing was brought since")
        }
        #expect(parts.written.ranges == [0..<total])
    }

    @Test("are worth another request on their connection if they have brought 64 KiB, or all of a smaller part")
    func worthAnother() {
        let large = DownloadParts.Part(number: 1, range: 0..<Self.mebibyte)
        #expect(!large.isWorthAnother(after: DownloadParts.minProgress - 1))
        #expect(large.isWorthAnother(after: DownloadParts.minProgress))
        let small = DownloadParts.Part(number: 2, range: 10..<20)
        #expect(!small.isWorthAnother(after: 9))
        #expect(small.isWorthAnother(after: 10))
    }

    @Test("are useless if the first response was complete, and no other has brought bytes")
    func useless() throws {
        var parts = try parts(3 * Self.mebibyte)
        parts.firstDidEnd(at: 1000)
        #expect(!parts.isUseless, "the first response has failed itself")
        parts = try self.parts(3 * Self.mebibyte)
        let part = try claim(&parts)
        parts.firstDidEnd(at: Self.mebibyte)
        #expect(parts.isUseless)
        _ = parts.received(head(of: part, total: 3 * Self.mebibyte), of: part.number, isAcceptable: true)
        _ = parts.received(bytes: 1, of: part.number)
        #expect(!parts.isUseless)
    }

    @Test("skip what is in the file already")
    func written() throws {
        var parts = try parts(4 * Self.mebibyte, written: [2 * Self.mebibyte..<3 * Self.mebibyte])
        #expect(parts.claim()?.range == Self.mebibyte..<2 * Self.mebibyte)
        #expect(parts.claim()?.range == 3 * Self.mebibyte..<4 * Self.mebibyte)
        #expect(parts.claim() == nil)
    }

    @Test("take no more bytes than the head of the response states")
    func tooLong() throws {
        var parts = try parts(2 * Self.mebibyte)
        let part = try claim(&parts)
        let head = head(206, [.contentRange: "bytes \(part.range.lowerBound)-\(part.range.lowerBound + 9)/*"])
        #expect(parts.received(head, of: part.number, isAcceptable: true) == .write(upTo: part.range.lowerBound + 10))
        #expect(parts.received(bytes: 10, of: part.number) == true)
        #expect(parts.received(bytes: 1, of: part.number) == false)
    }

    @Test(
        "refuse responses that are not the part, and end if the content has changed",
        arguments: [
            (206, [.contentRange: "bytes 1048577-2097151/2097152"], .stop, false),
            (206, [.contentRange: "bytes 1048576-2097151/2097153"], .stop, false),
            (206, [.contentRange: "bytes 1048576-2097152/*"], .stop, false),
            (206, [.contentRange: "bytes */2097152"], .stop, false), (206, [:], .stop, false),
            (206, [.contentRange: "bytes 1048576-2097151/2097152", .contentEncoding: "gzip"], .stop, false),
            (206, [.contentRange: "bytes 1048576-2097151/2097152", .eTag: #""v2""#], .stop, true),
            (200, [.eTag: #""v1""#], .stop, false), (200, [.eTag: #""v2""#], .stop, true), (200, [:], .stop, true),
            (503, [:], .drop, false), (416, [.contentRange: "bytes */1"], .drop, false),
            (302, [.location: "/a"], .drop, false),
        ] as [(Int, HTTPFields, DownloadParts.Action, Bool)])
    func refused(status: Int, fields: HTTPFields, action: DownloadParts.Action, isChanged: Bool) throws {
        var parts = try parts(2 * Self.mebibyte)
        let part = try claim(&parts)
        #expect(
            parts.received(head(status, fields), of: part.number, isAcceptable: status < 300) == action)
        #expect(parts.isChanged == isChanged)
        if isChanged {
            #expect(parts.claim() == nil)
            #expect(parts.offset(of: part.number) == nil)
        }
    }
}

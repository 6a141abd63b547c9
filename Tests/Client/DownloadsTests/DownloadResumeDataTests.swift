import Foundation
import Testing

@testable import ErrandDownloads

@Suite("Resume data")
struct DownloadResumeDataTests {
    @Test("are the same after a round trip through JSON", arguments: [10, nil] as [Int64?])
    func json(total: Int64?) throws {
        let data = DownloadResumeData(
            url: "https://a.com/b?c=d", validator: #""v1""#, received: 7, total: total, partialPath: "/srv/é.part")
        let text = try JSONEncoder().encode(data)
        #expect(try JSONDecoder().decode(DownloadResumeData.self, from: text) == data)
        #expect(data.version == 1)
    }

    @Test("have ranges if bytes are missing between the received ones")
    func ranges() throws {
        let data = DownloadResumeData(
            url: "https://a.com/", validator: #""v1""#, written: ByteRanges([0..<4, 6..<9]), total: 10,
            partialPath: "/srv/a")
        #expect(data.version == 2)
        #expect(data.received == 7)
        let decoded = try JSONDecoder().decode(DownloadResumeData.self, from: JSONEncoder().encode(data))
        #expect(decoded == data)
        #expect(decoded.written?.ranges == [0..<4, 6..<9])
        var wrong = data
        wrong.total = 8
        #expect(wrong.written == nil)
        wrong.version = 3
        #expect(wrong.written == nil)
        wrong = data
        wrong.total = nil
        #expect(wrong.written == nil)
    }

    @Test("of an earlier version are read")
    func earlier() throws {
        let text = #"{"version":1,"url":"https://a.com/","validator":"\"v1\"","received":7,"partialPath":"/srv/a"}"#
        let data = try JSONDecoder().decode(DownloadResumeData.self, from: Data(text.utf8))
        #expect(data.written?.ranges == [0..<7])
    }
}

import ErrandDownloads
import Foundation
import Testing

@Suite("Resume data")
struct DownloadResumeDataTests {
    @Test("are the same after a round trip through JSON", arguments: [10, nil] as [Int64?])
    func json(total: Int64?) throws {
        let data = DownloadResumeData(
            url: "https://a.com/b?c=d", validator: #""v1""#, received: 7, total: total, partialPath: "/srv/é.part")
        let text = try JSONEncoder().encode(data)
        #expect(try JSONDecoder().decode(DownloadResumeData.self, from: text) == data)
        #expect(data.version == DownloadResumeData.currentVersion)
    }
}

import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/range")
struct RangeEndpointTests {
    @Test("sends the whole content with an entity tag and Accept-Ranges")
    func whole() async throws {
        let response = try await EchoClient().ask("/range/100")
        #expect(response.status == 200)
        #expect(response.headers[.eTag] == #""range-100""#)
        #expect(response.headers[.acceptRanges] == "bytes")
        #expect(response.content == PatternContent.bytes(0..<100))
    }

    @Test(
        "sends the requested part",
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=10-19", 10..<20), ("bytes=90-", 90..<100), ("bytes=-5", 95..<100),
            ("bytes=50-1000", 50..<100),
        ] as [(String, Range<Int64>)])
    func part(range: String, positions: Range<Int64>) async throws {
        let response = try await EchoClient().ask(.get, "/range/100", headers: [.range: range])
        #expect(response.status == 206)
        #expect(
            response.headers[.contentRange] == "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/100")
        #expect(response.length == Int64(positions.count))
        #expect(response.content == PatternContent.bytes(positions))
    }

    @Test("refuses a range beyond the end")
    func unsatisfiable() async throws {
        let response = try await EchoClient().ask(.get, "/range/100", headers: [.range: "bytes=100-"])
        #expect(response.status == 416)
        #expect(response.headers[.contentRange] == "bytes */100")
        #expect(response.content.isEmpty)
    }

    @Test("sends a part only if If-Range matches")
    func ifRange() async throws {
        let client = try EchoClient()
        for (tag, status) in [(#""range-100""#, 206), (#""range-99""#, 200), (#"W/"range-100""#, 200)] {
            let headers: HTTPFields = [.range: "bytes=1-2", .ifRange: tag]
            #expect(try await client.ask(.get, "/range/100", headers: headers).status == status)
        }
    }

    @Test("sends 304 if the entity tag matches, and ignores ranges for HEAD")
    func conditions() async throws {
        let client = try EchoClient()
        let known: HTTPFields = [.ifNoneMatch: #""other", "range-100""#]
        let unchanged = try await client.ask(.get, "/range/100", headers: known)
        #expect(unchanged.status == 304)
        #expect(unchanged.headers[.eTag] == #""range-100""#)
        #expect(unchanged.content.isEmpty)
        #expect(try await client.ask(.head, "/range/100", headers: [.range: "bytes=1-2"]).length == 100)
    }
}

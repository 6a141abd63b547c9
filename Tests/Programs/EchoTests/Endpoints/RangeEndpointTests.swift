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

    @Test(
        "ends each response after the bytes of cut, and lets a client go on from there",
        arguments: [30_000, 70_000, 99_999])
    func cut(bytes: Int) async throws {
        let client = try EchoClient()
        var received: [UInt8] = []
        while received.count < 100_000 {
            let headers: HTTPFields = [.range: "bytes=\(received.count)-", .ifRange: #""range-100000""#]
            let rest = 100_000 - received.count
            let response = try await client.ask(.get, "/range/100000?cut=\(bytes)", headers: headers)
            #expect(response.length == Int64(rest))
            #expect(response.content.count == min(bytes, rest))
            #expect(response.isCut == (bytes < rest))
            received += response.content
        }
        #expect(received == PatternContent.bytes(0..<100_000))
    }

    @Test("ignores Range with ranges=off")
    func ignoredRange() async throws {
        let response = try await EchoClient().ask(.get, "/range/100?ranges=off", headers: [.range: "bytes=50-"])
        #expect(response.status == 200)
        #expect(response.headers[.acceptRanges] == nil)
        #expect(response.content == PatternContent.bytes(0..<100))
    }

    @Test("has other content with another entity tag for each version")
    func versions() async throws {
        let client = try EchoClient()
        let headers: HTTPFields = [.range: "bytes=50-", .ifRange: #""range-100""#]
        let response = try await client.ask(.get, "/range/100?version=7", headers: headers)
        #expect(response.status == 200)
        #expect(response.headers[.eTag] == #""range-100-7""#)
        #expect(response.content == PatternContent.bytes(7..<107))
    }

    @Test("refuses arguments with a wrong value", arguments: ["cut=x", "ranges=no", "version=65521", "version=-1"])
    func wrongArguments(query: String) async throws {
        #expect(try await EchoClient().ask(.get, "/range/100?\(query)").status == 400)
    }
}

import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("Filters that look into documents")
struct DocumentFilterTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    @Test("Tasks are found by error, status and method, by every walk; what is not JSON matches nothing")
    func documents() async throws {
        let store = try folder.open()
        let rows: [(method: String?, response: String?, error: String?)] = [
            ("GET", #""status":200,"reason":"OK""#, nil),
            ("POST", #""status":503,"headers":{"status":"1"}"#, #"{"code":"unacceptable_status","underlying":null}"#),
            ("GET", nil, #"{"code":"timed_out","underlying":{"code":"cannot_connect"}}"#),
            ("DELETE", #""status":500"#, #"{"code":"unparsable_body"}"#),
            (nil, "\u{1}\u{0}sealed", "\u{1}\u{0}sealed"),
            ("GET", nil, nil),
        ]
        for (number, row) in rows.enumerated() {
            var record = TaskRecord.sample(number, state: .failed, labels: ["team": "billing"])
            record.change {
                $0.parent = .sample(5000)
                $0.specification.request = Array((row.method.map { #"{"method":"\#($0)"}"# } ?? "\u{1}").utf8)
                guard row.response != nil || row.error != nil else { return }
                $0.result.attempts = Array(#"{"number":1}"#.utf8)
                $0.result.response = row.response.map { Array($0.utf8) }
                $0.result.error = row.error.map { Array($0.utf8) }
            }
            try await store.insert(record)
        }
        var walks = [TaskQuery](repeating: TaskQuery(), count: 5)
        walks[1].states = [.failed]
        walks[2].labels = ["team": "billing"]
        walks[3].parent = .sample(5000)
        walks[4].sessions = Set((0..<100).map { "session-\($0)" } + ["github"])
        for walk in walks {
            func found(_ set: (inout TaskQuery) -> Void) async throws -> [TaskID] {
                var query = walk
                set(&query)
                return try await store.identifiers(query)
            }
            #expect(try await found { $0.errorCode = "timed_out" } == [.sample(2)])
            #expect(try await found { $0.errorCode = "cannot_connect" }.isEmpty)
            #expect(try await found { $0.statuses = 500...599 } == [.sample(3), .sample(1)])
            #expect(try await found { $0.statuses = 200...200 } == [.sample(0)])
            #expect(try await found { $0.statuses = 100...199 }.isEmpty)
            #expect(try await found { $0.method = "GET" } == [.sample(5), .sample(2), .sample(0)])
            var counted = walk
            counted.statuses = 500...599
            #expect(try await store.counts(matching: counted)[.failed] == 2)
            let all = try await found {
                $0.method = "POST"
                $0.statuses = 503...503
                $0.errorCode = "unacceptable_status"
            }
            #expect(all == [.sample(1)])
        }
        await store.close()
    }
}

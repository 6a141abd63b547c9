import ErrandJSON
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("BulkFilter")
struct BulkFilterTests {
    private let now = Timestamp("2026-11-21T12:00:00Z") ?? .earliest

    private func read(_ text: String) throws -> (filter: BulkFilter?, faults: [String]) {
        let problems = JSONProblems()
        var options = try #require(
            JSONObjectReader(try JSONDocument.parse(Array(text.utf8)).root, reporting: problems))
        let filter = BulkFilter.read(&options, at: now)
        options.finish()
        return (filter, problems.problems.map(\.pointer.description))
    }

    @Test("The filters of the list are members, with a single word or an array")
    func filters() throws {
        let id = TaskID.sample(1)
        let read = try read(
            """
            {"state":["failed","canceled"],"session":"up","kind":"data","labels":{"team":"billing"},"parent":"\(id)",
            "created_after":"2026-11-21T12:00:00Z","created_before":"2026-11-22T12:00:00Z"}
            """)
        var query = TaskQuery()
        query.states = [.failed, .canceled]
        query.sessions = ["up"]
        query.kind = .data
        query.labels = ["team": "billing"]
        query.parent = id
        query.createdAfter = Timestamp("2026-11-21T12:00:00Z")
        query.createdBefore = Timestamp("2026-11-22T12:00:00Z")
        #expect(read.faults.isEmpty)
        #expect(read.filter == .matching(query))
    }

    @Test("Tasks are selected by their end, schedule and repetition, and times are dates or relative to the present")
    func finding() throws {
        let read = try read(
            """
            {"finished_after":"-24h","finished_before":"2026-11-21","schedule":"nightly","retried":false}
            """)
        var query = TaskQuery()
        query.finishedAfter = Timestamp("2026-11-20T12:00:00Z")
        query.relativeTimes = [.finishedAfter: "-24h"]
        query.finishedBefore = Timestamp("2026-11-21T00:00:00Z")
        query.schedule = "nightly"
        query.isRetried = false
        #expect(read.faults.isEmpty)
        #expect(read.filter == .matching(query))
    }

    @Test("Tasks are selected by error, status or class of statuses, method, and the reason for which they wait")
    func documents() throws {
        let read = try read(#"{"error":"timed_out","status":503,"method":"post","hold":"rate"}"#)
        var query = TaskQuery()
        query.hold = .session("rate")
        query.errorCode = "timed_out"
        query.statuses = 503...503
        query.method = "POST"
        #expect(read.faults.isEmpty)
        #expect(read.filter == .matching(query))
        var ofClass = TaskQuery()
        ofClass.statuses = 500...599
        #expect(try self.read(#"{"status":"5xx"}"#).filter == .matching(ofClass))
    }

    @Test("Identifiers are deduplicated and keep their order")
    func ids() throws {
        let (one, two) = (TaskID.sample(1), TaskID.sample(2))
        #expect(try read(#"{"ids":["\#(two)","\#(one)","\#(two)"]}"#).filter == .ids([two, one]))
        #expect(try read(#"{"ids":[]}"#).filter == .ids([]))
    }

    @Test(
        "An empty filter is refused, and so is an invalid one",
        arguments: [
            ("{}", ""), (#"{"state":null}"#, ""), (#"{"state":[]}"#, "/state"), (#"{"labels":{}}"#, "/labels"),
            (#"{"session":[]}"#, "/session"), (#"{"state":"done"}"#, "/state"),
            (#"{"state":["failed","done"]}"#, "/state/1"), (#"{"kind":"x"}"#, "/kind"),
            (#"{"parent":"x"}"#, "/parent"), (#"{"created_after":"x"}"#, "/created_after"),
            (#"{"finished_before":"1h"}"#, "/finished_before"), (#"{"retried":"no"}"#, "/retried"),
            (#"{"error":"x"}"#, "/error"), (#"{"status":99}"#, "/status"), (#"{"status":"5x"}"#, "/status"),
            (#"{"method":1}"#, "/method"), (#"{"method":"G T"}"#, "/method"),
            // The letter ſ is an S in upper case.
            (#"{"method":"poſt"}"#, "/method"), (#"{"schedule":1}"#, "/schedule"),
            (#"{"ids":["x"]}"#, "/ids/0"),
            (#"{"ids":[],"state":"failed"}"#, "/state"), (#"{"stat":"failed"}"#, "/stat"),
        ])
    func faults(text: String, pointer: String) throws {
        #expect(try read(text).faults.contains(pointer))
    }
}

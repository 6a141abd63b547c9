import ErrandConfiguration
import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("TaskListQuery")
struct TaskListQueryTests {
    private let now = Timestamp("2026-11-21T12:00:00Z") ?? .earliest

    private func read(
        _ query: String, for caller: Caller = .anonymous, after pause: Duration = .zero
    ) throws -> TaskQuery {
        try TaskListQuery.read(
            RequestTarget("/v1/tasks?\(query)").queryItems, for: caller, at: now.adding(pause))
    }

    @Test("Without parameters the query is for the newest hundred tasks")
    func nothing() throws {
        #expect(try TaskListQuery.read([], for: .anonymous, at: now) == TaskQuery())
        #expect(TaskQuery().pageSize == 100)
    }

    @Test("Every parameter sets its filter, repeated ones are combined, and names and values are decoded")
    func everything() throws {
        let query = try read(
            "state=failed&state=canceled&session=a&session=b%20c&kind=data&label.team=x%3Dy&label.a.b="
                + "&created_after=2026-11-21T12:00:00Z&created_before=2026-11-21T13:00:00.500Z&page_size=7")
        #expect(query.states == [.failed, .canceled])
        #expect(query.sessions == ["a", "b c"])
        #expect(query.kind == .data)
        #expect(query.labels == ["team": "x=y", "a.b": ""])
        #expect(query.createdAfter == Timestamp("2026-11-21T12:00:00Z"))
        #expect(query.createdBefore == Timestamp("2026-11-21T13:00:00.500Z"))
        #expect(query.pageSize == 7)
    }

    @Test("Tasks are selected by their end, schedule and repetition")
    func finding() throws {
        let query = try read(
            "finished_after=2026-11-20&finished_before=2026-11-21T13:00:00Z&schedule=nightly%20run&retried=true")
        #expect(query.finishedAfter == Timestamp("2026-11-20T00:00:00Z"))
        #expect(query.finishedBefore == Timestamp("2026-11-21T13:00:00Z"))
        #expect(query.schedule == "nightly run")
        #expect(query.isRetried == true)
        #expect(query.relativeTimes.isEmpty)
        #expect(try read("retried=false").isRetried == false)
    }

    @Test("Tasks are selected by error, status or class of statuses, method, and the reason for which they wait")
    func documents() throws {
        let query = try read("error=timed_out&status=5xx&method=post&hold=circuit_open")
        #expect(query.hold == .session("circuit_open"))
        #expect(query.errorCode == "timed_out")
        #expect(query.statuses == 500...599)
        #expect(query.method == "POST")
        #expect(try read("status=404").statuses == 404...404)
    }

    @Test("Each time can be relative to the present, and a page token lasts while the time moves")
    func relativeTimes() throws {
        for name in ["created_after", "created_before", "finished_after", "finished_before"] {
            let filter = try #require(TaskQuery.TimeFilter(rawValue: name))
            let query = try read("\(name)=-24h")
            #expect(query[filter] == Timestamp("2026-11-20T12:00:00Z"))
            let token = PageToken(last: .sample(3), query: query)
            let next = try read("\(name)=-24h&page_token=\(token)", after: .seconds(60))
            #expect(next.after == .sample(3))
            #expect(next[filter] == Timestamp("2026-11-20T12:01:00Z"))
            #expect(throws: RequestRefusal.self) { try read("\(name)=-25h&page_token=\(token)") }
        }
    }

    @Test("A page token continues after its page, only with the same filters")
    func token() throws {
        var query = try read("session=a")
        let token = PageToken(last: .sample(3), query: query)
        query.after = .sample(3)
        #expect(try read("page_token=\(token)&session=a") == query)
        let refusal = #expect(throws: RequestRefusal.self) { try read("page_token=\(token)&session=b") }
        #expect(refusal?.detail.contains("other filters") == true)
    }

    @Test("A list has one of four orders, and its page tokens belong to it")
    func order() throws {
        for order in TaskOrder.allCases {
            let query = try read("sort=\(order.rawValue)")
            #expect(query.order == order)
            let token = PageToken(last: .sample(3), finishedAt: now, query: query)
            let next = try read("sort=\(order.rawValue)&page_token=\(token)")
            #expect(next.after == .sample(3))
            #expect(next.afterEnd == (order.isByEnd ? now : nil))
            let other = order == .oldestFirst ? "" : "sort=created_at&"
            let refusal = #expect(throws: RequestRefusal.self) { try read("\(other)page_token=\(token)") }
            #expect(refusal?.detail.contains("another order") == true)
        }
    }

    @Test("Only the caller's sessions are left in the filter")
    func visible() throws {
        let caller = Caller(tokenName: "ci", scopes: [.tasksRead], sessions: ["a", "b"])
        #expect(try read("", for: caller).sessions == ["a", "b"])
        #expect(try read("session=a&session=c", for: caller).sessions == ["a"])
        #expect(try read("session=c", for: caller).sessions == [])
        #expect(try read("session=c").sessions == ["c"])
    }

    @Test("A page token of a caller with other sessions is refused")
    func foreignToken() throws {
        let caller = Caller(tokenName: "ci", scopes: [.tasksRead], sessions: ["a", "b"])
        let other = Caller(tokenName: "ops", scopes: [.tasksRead], sessions: ["b"])
        let token = PageToken(last: .sample(3), query: try read("", for: caller))
        #expect(try read("page_token=\(token)", for: caller).after == .sample(3))
        #expect(throws: RequestRefusal.self) { try read("page_token=\(token)", for: other) }
        #expect(throws: RequestRefusal.self) { try read("page_token=\(token)") }
        #expect(throws: RequestRefusal.self) { try read("page_token=\(token)&session=a", for: caller) }
    }

    @Test("A time whose + has become a space is refused with the remedy")
    func plus() throws {
        #expect(try read("created_after=2026-11-21T13:00:00%2B01:00").createdAfter == now)
        let refusal = #expect(throws: RequestRefusal.self) { try read("created_after=2026-11-21T13:00:00+01:00") }
        #expect(refusal?.detail.hasSuffix("found \"2026-11-21T13:00:00 01:00\"; write + as %2B in a query") == true)
        let other = #expect(throws: RequestRefusal.self) { try read("created_after=last+week") }
        #expect(other?.detail.hasSuffix("found \"last week\"") == true)
    }

    @Test(
        "An invalid value is reported with the name of the parameter",
        arguments: [
            ("state=done", "state"), ("state=", "state"), ("kind=x", "kind"), ("created_after=now", "created_after"),
            ("created_before=2026-13-01T00:00:00Z", "created_before"), ("page_size=0", "page_size"),
            ("created_after=24h", "created_after"), ("finished_after=", "finished_after"),
            ("finished_before=2026-11-31", "finished_before"), ("retried=yes", "retried"), ("error=x", "error"),
            ("status=99", "status"), ("status=0xx", "status"), ("status=5XX", "status"), ("status=xxx", "status"),
            ("page_size=1001", "page_size"), ("page_size=1e2", "page_size"), ("page_token=!", "page_token"),
            ("page_token=", "page_token"), ("sort=id", "sort"), ("sort=", "sort"), ("States=failed", "States"),
            ("labels.a=b", "labels.a"), ("label.=x", "label."), ("method=", "method"), ("method=G%20T", "method"),
            // The letter ſ is an S in upper case.
            ("method=po%C5%BFt", "method"),
            ("label.k=\(String(repeating: "v", count: 257))", "label.k"),
        ])
    func wrong(query: String, parameter: String) {
        let refusal = #expect(throws: RequestRefusal.self) { try read(query) }
        #expect(refusal?.detail.hasPrefix("\(parameter): ") == true)
    }
}

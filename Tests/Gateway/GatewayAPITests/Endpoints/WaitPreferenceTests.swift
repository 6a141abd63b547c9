import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("WaitPreference")
struct WaitPreferenceTests {
    private func read(_ query: String, _ prefer: String? = nil) throws -> WaitPreference? {
        let head: RequestHead =
            if let prefer { try .sample(.get, "/t\(query)", "Prefer: \(prefer)") } else {
                try .sample(.get, "/t\(query)")
            }
        return try WaitPreference.read(head, limit: .seconds(60))
    }

    @Test("is read from the query, as a duration or a number of seconds, and limited")
    func query() throws {
        #expect(try read("") == nil)
        #expect(try read("?wait=30s") == WaitPreference(duration: .seconds(30), isPreference: false))
        #expect(try read("?wait=250ms")?.duration == .milliseconds(250))
        #expect(try read("?wait=2")?.duration == .seconds(2))
        #expect(try read("?wait=0")?.duration == .zero)
        #expect(try read("?wait=7d")?.duration == .seconds(60))
    }

    @Test(
        "A malformed duration is refused",
        arguments: ["", "fast", "-1s", "1e3", "30 s", "d", "99999999999999999999y", "99999999999999999999 d"])
    func badQuery(value: String) throws {
        let head = try RequestHead.sample(.get, "/t?wait=\(value.replacing(" ", with: "%20"))")
        let refusal = #expect(throws: RequestRefusal.self) { try WaitPreference.read(head, limit: .seconds(60)) }
        #expect(refusal?.detail.hasPrefix("wait: ") == true)
    }

    @Test(
        "A duration of any length is reduced to the limit",
        arguments: ["9999999999999999999", "999999999999999999d", "99999999999999999999d", "99999999999999999999ms"])
    func longQuery(value: String) throws {
        let read = try read("?wait=\(value)")
        #expect(read == WaitPreference(duration: .seconds(60), isPreference: false, isReduced: true))
    }

    @Test("Zeros before a number do not make it large")
    func zeros() throws {
        #expect(try read("?wait=00000000000000000002s")?.duration == .seconds(2))
        #expect(try read("?wait=00000000000000000000")?.duration == .zero)
        #expect(try read("", "wait=00000000000000000002")?.duration == .seconds(2))
    }

    @Test(
        "is read from Prefer among other preferences",
        arguments: [
            "wait=30", "Wait = 30", "wait=\"30\"", "respond-async, wait=30", "wait=30; foo=bar", "wait=30, wait=5",
            #"note="a, wait=5", wait=30"#, #"note="a\", wait=5", wait=30"#, #"a=b; note="c; wait=5, d", wait=30"#,
            #"wait=30; note="a, b""#, #"wait="3\0""#,
        ])
    func prefer(value: String) throws {
        #expect(try read("", value) == WaitPreference(duration: .seconds(30), isPreference: true))
    }

    @Test(
        "A malformed Prefer is ignored",
        arguments: [
            "wait", "wait=", "wait=soon", "wait=-1", "wait=1.5", "wait=+1", "await=3", ",;=,", "wait=30 5",
            #"note="a, wait=600 ,b""#, #"note="a; wait=600""#, #"note="a, wait=30"#, #"wait="30"#, #"wait=30, note=""#,
        ])
    func badPrefer(value: String) throws {
        #expect(try read("", value) == nil)
    }

    @Test("A malformed field Prefer does not hide the others")
    func twoFields() throws {
        let head = try RequestHead.sample(.get, "/t", #"Prefer: note="a, wait=5"#, "Prefer: wait=30")
        let read = try WaitPreference.read(head, limit: .seconds(60))
        #expect(read == WaitPreference(duration: .seconds(30), isPreference: true))
    }

    @Test(
        "A Prefer of any length is reduced to the limit",
        arguments: ["wait=61", "wait=86401", "wait=99999999999999999999"])
    func longPrefer(value: String) throws {
        let read = try read("", value)
        #expect(read == WaitPreference(duration: .seconds(60), isPreference: true, isReduced: true))
    }

    @Test("The query takes precedence over Prefer")
    func both() throws {
        #expect(try read("?wait=1s", "wait=30") == WaitPreference(duration: .seconds(1), isPreference: false))
    }

    @Test("Preference-Applied is sent for a preference and for a time that was reduced, with the limited value")
    func applied() throws {
        let response = ServerResponse(status: .ok)
        #expect(try read("", "wait=3600")?.applied(to: response).headers[.preferenceApplied] == "wait=60")
        #expect(try read("?wait=61s")?.applied(to: response).headers[.preferenceApplied] == "wait=60")
        #expect(try read("?wait=60s")?.applied(to: response).headers[.preferenceApplied] == nil)
        #expect(try read("?wait=1s")?.applied(to: response).headers[.preferenceApplied] == nil)
    }
}

import ErrandJSON
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("IdempotencyKey")
struct IdempotencyKeyTests {
    @Test(
        "A header contains the key in quotes or bare",
        arguments: [
            ("abc", "abc"), (#""abc""#, "abc"), (#""a b,c""#, "a b,c"), (#""a\"b\\c""#, #"a"b\c"#),
            ("a/b=c;d", "a/b=c;d"),
            ("8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"),
        ])
    func headers(field: String, key: String) {
        #expect(IdempotencyKey(field: field)?.text == key)
    }

    @Test(
        "Malformed, empty and unprintable keys are refused",
        arguments: [
            "", #""""#, #"""#, #""a"#, #""a"b"#, #""a";x=1"#, #""a\n""#, #"a"b"#, "a, b", "\u{7F}", "é", "\"é\"", "\t",
        ])
    func malformed(field: String) {
        #expect(IdempotencyKey(field: field) == nil)
    }

    @Test("A key has at most 255 characters")
    func length() {
        let key = String(repeating: "x", count: 255)
        #expect(IdempotencyKey(field: key)?.text == key)
        #expect(IdempotencyKey(field: "\"\(key)\"")?.text == key)
        #expect(IdempotencyKey(field: key + "x") == nil)
    }
}

@Suite("TaskClaim")
struct TaskClaimTests {
    private func claim(_ text: String, key: String = "k") throws -> TaskClaim {
        let document = try JSONDocument.parse(task: Array(text.utf8))
        return TaskClaim(try #require(IdempotencyKey(key)), on: try #require(document.root.object), in: document)
    }

    @Test("The same task has the same payload, whatever its spelling and the place of its key")
    func same() throws {
        let one = try claim(#"{"session":"up","body":{"json":{"b":1,"a":"é"}}}"#)
        #expect(try claim(#"{ "body":{"json":{"a":"\u00e9","b":1}}, "idempotency_key":"k", "session":"up"}"#) == one)
    }

    @Test("Bodies that differ in half of a surrogate pair are different payloads")
    func halves() throws {
        let bodies = [#"\ud800"#, #"\ud801"#, #"\udc00"#, #"\ufffd"#]
        let payloads = try bodies.map { try claim(#"{"session":"up","body":{"json":["\#($0)"]}}"#).payload }
        #expect(Set(payloads).count == bodies.count)
        #expect(try claim(#"{"body":{"json":["\ud800"]} , "session":"up"}"#).payload == payloads[0])
    }

    @Test(
        "A different task has a different payload",
        arguments: [
            #"{"session":"up","body":{"json":{"b":1.0,"a":"é"}}}"#, #"{"session":"up"}"#,
            #"{"session":"up","body":{"json":{"b":1,"a":"é"}},"priority":5}"#,
        ])
    func other(text: String) throws {
        #expect(try claim(text).payload != claim(#"{"session":"up","body":{"json":{"b":1,"a":"é"}}}"#).payload)
    }

    private func claim(onRetryOf number: Int, with overrides: String? = nil) throws -> TaskClaim {
        let key = try #require(IdempotencyKey("k"))
        let document = try overrides.map { try JSONDocument.parse(task: Array($0.utf8)) }
        return TaskClaim(key, onRetryOf: .sample(number), with: document)
    }

    @Test("The payload of a retry is the task to be repeated, with the members that replace those of its document")
    func retry() throws {
        let plain = try claim(onRetryOf: 1)
        #expect(try claim(onRetryOf: 1, with: "{}") == plain)
        let changed = try claim(onRetryOf: 1, with: #"{"path":"a","priority":1}"#)
        #expect(try claim(onRetryOf: 1, with: #"{ "priority":1, "path":"\u0061" }"#) == changed)
        let others = try [
            plain, changed, claim(onRetryOf: 2), claim(onRetryOf: 2, with: #"{"path":"a","priority":1}"#),
            claim(onRetryOf: 1, with: #"{"path":"a","priority":2}"#), claim(#"{"path":"a","priority":1}"#),
            claim(onRetryOf: 1, with: #"{"body":{"json":"\ud800"}}"#),
            claim(onRetryOf: 1, with: #"{"body":{"json":"\ud801"}}"#),
        ]
        #expect(Set(others.map(\.payload)).count == others.count)
    }
}

@Suite("IdempotencyKeysInUse")
struct IdempotencyKeysInUseTests {
    private func key(_ text: String, of owner: String?) throws -> IdempotencyKeysInUse.Owned {
        IdempotencyKeysInUse.Owned(owner: owner, key: try #require(IdempotencyKey(text)))
    }

    @Test("A key can be taken only once, and equal keys of two owners are independent")
    func taking() throws {
        let keys = IdempotencyKeysInUse()
        let (mine, other, yours) = (try key("a", of: "me"), try key("b", of: "me"), try key("a", of: "you"))
        #expect(keys.take([mine]) == [mine])
        #expect(keys.take([mine, other, yours]) == [other, yours])
        keys.release([mine])
        #expect(keys.take([mine, other]) == [mine])
    }
}

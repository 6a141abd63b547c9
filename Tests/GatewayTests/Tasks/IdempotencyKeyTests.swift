import JSON
import Testing

@testable import Gateway

@Suite("IdempotencyKey")
struct IdempotencyKeyTests {
    @Test(
        "A header has the key in quotes or bare",
        arguments: [
            ("abc", "abc"), (#""abc""#, "abc"), (#""a b,c""#, "a b,c"), (#""a\"b\\c""#, #"a"b\c"#),
            ("a/b=c;d", "a/b=c;d"),
            ("8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"),
        ])
    func headers(field: String, key: String) {
        #expect(IdempotencyKey(field: field)?.text == key)
    }

    @Test(
        "What is malformed, empty or not printable is no key",
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
        let object = try #require(try JSONDocument.parse(Array(text.utf8)).root.object)
        return TaskClaim(try #require(IdempotencyKey(key)), on: object)
    }

    @Test("The same task is the same payload, however it is written and wherever its key stands")
    func same() throws {
        let one = try claim(#"{"session":"up","body":{"json":{"b":1,"a":"é"}}}"#)
        #expect(try claim(#"{ "body":{"json":{"a":"\u00e9","b":1}}, "idempotency_key":"k", "session":"up"}"#) == one)
    }

    @Test(
        "Another task is another payload",
        arguments: [
            #"{"session":"up","body":{"json":{"b":1.0,"a":"é"}}}"#, #"{"session":"up"}"#,
            #"{"session":"up","body":{"json":{"b":1,"a":"é"}},"priority":5}"#,
        ])
    func other(text: String) throws {
        #expect(try claim(text).payload != claim(#"{"session":"up","body":{"json":{"b":1,"a":"é"}}}"#).payload)
    }
}

@Suite("IdempotencyKeysInUse")
struct IdempotencyKeysInUseTests {
    private func key(_ text: String, of owner: String?) throws -> IdempotencyKeysInUse.Owned {
        IdempotencyKeysInUse.Owned(owner: owner, key: try #require(IdempotencyKey(text)))
    }

    @Test("A key is had by one at a time, and equal keys of two owners have nothing to do with each other")
    func taking() throws {
        let keys = IdempotencyKeysInUse()
        let (mine, other, yours) = (try key("a", of: "me"), try key("b", of: "me"), try key("a", of: "you"))
        #expect(keys.take([mine]) == [mine])
        #expect(keys.take([mine, other, yours]) == [other, yours])
        keys.release([mine])
        #expect(keys.take([mine, other]) == [mine])
    }
}

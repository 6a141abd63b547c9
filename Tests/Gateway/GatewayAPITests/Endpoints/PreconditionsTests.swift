import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("Preconditions")
struct PreconditionsTests {
    /// The fields of a request, and their verdicts on the tag `"r2"`.
    struct Row: Sendable, CustomTestStringConvertible {
        var fields: [String]
        var reading: Preconditions.Verdict
        var changing: Preconditions.Verdict

        init(_ fields: String..., reading: Preconditions.Verdict, changing: Preconditions.Verdict) {
            self.fields = fields
            self.reading = reading
            self.changing = changing
        }

        var testDescription: String { fields.joined(separator: ", ") }
    }

    private static let rows = [
        Row(reading: .met, changing: .met),
        Row(#"If-Match: "r2""#, reading: .met, changing: .met),
        Row(#"If-Match: "r1", "r2""#, reading: .met, changing: .met),
        Row("If-Match: *", reading: .met, changing: .met),
        Row(#"If-Match: "r1""#, reading: .failed, changing: .failed),
        Row(#"If-Match: W/"r2""#, reading: .failed, changing: .failed),
        Row(#"If-None-Match: "r1""#, reading: .met, changing: .met),
        Row(#"If-None-Match: "r2""#, reading: .notModified, changing: .failed),
        Row(#"If-None-Match: W/"r2""#, reading: .notModified, changing: .failed),
        Row(#"If-None-Match: "r1""#, #"If-None-Match: "r2""#, reading: .notModified, changing: .failed),
        Row("If-None-Match: *", reading: .notModified, changing: .failed),
        Row(#"If-None-Match: "r2""#, #"If-Match: "r1""#, reading: .failed, changing: .failed),
        Row(#"If-None-Match: "r2""#, #"If-Match: "r2""#, reading: .notModified, changing: .failed),
    ]

    @Test("If-Match comes before If-None-Match, whose failure is a 304 for GET and HEAD only", arguments: rows)
    func verdicts(row: Row) throws {
        let tag = EntityTag(opaque: "r2")
        for method in [HTTPRequest.Method.get, .head] {
            let conditions = try Preconditions(.sample(method, "/", lines: row.fields))
            #expect(conditions.verdict(on: tag) == row.reading, "\(method)")
        }
        for method in [HTTPRequest.Method.post, .put, .patch, .delete] {
            let conditions = try Preconditions(.sample(method, "/", lines: row.fields))
            #expect(conditions.verdict(on: tag) == row.changing, "\(method)")
            #expect(conditions.areMet(by: tag) == (row.changing == .met), "\(method)")
        }
    }

    @Test("A resource that does not exist meets If-None-Match, and no If-Match")
    func missing() throws {
        #expect(try Preconditions(.sample(.put, "/", "If-None-Match: *")).areMet(by: nil))
        #expect(try !Preconditions(.sample(.put, "/", "If-Match: *")).areMet(by: nil))
        #expect(try Preconditions(.sample(.put, "/")).areMet(by: nil))
    }

    @Test("A representation without a tag meets no tag in If-Match")
    func untagged() throws {
        #expect(try Preconditions(.sample(.get, "/")).acceptsUntagged)
        #expect(try Preconditions(.sample(.get, "/", "If-Match: *")).acceptsUntagged)
        #expect(try !Preconditions(.sample(.get, "/", #"If-Match: "r2""#)).acceptsUntagged)
    }

    @Test("A malformed field is refused, except for If-None-Match of a request that reads")
    func malformed() throws {
        for method in [HTTPRequest.Method.get, .delete] {
            let head = try RequestHead.sample(method, "/", "If-Match: r2")
            #expect(throws: RequestRefusal.self) { try Preconditions(head) }
        }
        let change = try RequestHead.sample(.delete, "/", "If-None-Match: r2")
        #expect(throws: RequestRefusal.self) { try Preconditions(change) }
        let read = try Preconditions(.sample(.get, "/", "If-None-Match: r2"))
        #expect(read.firstField == nil)
        #expect(read.verdict(on: EntityTag(opaque: "r2")) == .met)
    }

    @Test("The first field is that of the precondition that is evaluated first")
    func firstField() throws {
        #expect(try Preconditions(.sample(.post, "/")).firstField == nil)
        #expect(try Preconditions(.sample(.post, "/", "If-None-Match: *")).firstField == .ifNoneMatch)
        #expect(try Preconditions(.sample(.post, "/", "If-None-Match: *", "If-Match: *")).firstField == .ifMatch)
    }
}

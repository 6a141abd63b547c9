import ErrandCryptography
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskStoreSealed

/// The numbers below are those of stored data: none of them may change.
@Suite("DocumentSealer")
struct DocumentSealerTests {
    private let keys: SealingKeyring
    private let sealer: DocumentSealer

    init() throws {
        keys = try SealingKeyring([.sample(1)])
        sealer = DocumentSealer(keys: keys)
    }

    @Test("The context of a task's document is the number of its column and the identifier of the task")
    func taskContexts() throws {
        let record = SecretRecord.sample(1)
        let sealed = try sealer.sealing(record, with: .all)
        let hop = SecretRecord.json("hop")
        let documents: [(number: UInt8, plain: [UInt8]?, sealed: [UInt8]?)] = [
            (1, record.specification.task, sealed.specification.task),
            (2, record.specification.request, sealed.specification.request),
            (3, record.result.attempts, sealed.result.attempts),
            (4, record.result.response, sealed.result.response),
            (5, record.result.error, sealed.result.error),
            (7, record.specification.callback, sealed.specification.callback),
            (8, hop, try sealer.sealing(hop: hop, of: record.id)),
        ]
        for document in documents {
            let bytes = try #require(document.sealed)
            let opened = try keys.open(bytes, context: [document.number] + record.id.bytes)
            #expect(opened == document.plain, "\(document.number)")
        }
    }

    @Test("The context of a media type is the number 10 and the identifier of the task")
    func bodyTypeContext() throws {
        var record = SecretRecord.sample(1)
        record.change { $0.result.body = .sample(.inline([])) }
        let sealed = try sealer.sealing(record, with: .result)
        let text = try #require(sealed.result.body?.contentType)
        let bytes = try SealedText.decode(text, mark: .lineFeed)
        let opened = try keys.open(bytes, context: [10] + record.id.bytes)
        #expect(opened == Array("application/json".utf8))
        #expect(try sealer.opening(sealed) == record)
    }

    @Test("The context of a cookie is the number 6 and its key, that of a schedule the number 9 and its name")
    func otherContexts() throws {
        let cookie = StoredCookie.sample("n", domain: "d", isHostOnly: true, path: "/", value: "secret")
        let text = try sealer.sealing(valueOf: cookie, session: "s")
        // Each part follows its length, in eight bytes.
        let parts = ["s", "d", "/", "n"].flatMap { [UInt8](repeating: 0, count: 7) + [1] + Array($0.utf8) }
        #expect(try keys.open(SealedText.decode(text), context: [6, 1] + parts) == Array("secret".utf8))
        let schedule = ScheduleRecord.sample("nightly", text: "secret")
        let sealed = try sealer.sealing(schedule)
        #expect(try keys.open(sealed.definition, context: [9] + Array("nightly".utf8)) == schedule.definition)
    }
}

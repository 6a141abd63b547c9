import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("ClientTaskKind")
struct ClientTaskKindTests {
    @Test("A client can create a kind, or is told the reason why not", arguments: TaskKind.allCases)
    func refused(_ kind: TaskKind) {
        let created = ClientTaskKind(rawValue: kind.rawValue)
        #expect((created == nil) == (ClientTaskKind.refused[kind.rawValue] != nil))
    }

    @Test("A created task has the kind of its document, and its handler", arguments: ClientTaskKind.allCases)
    func created(_ kind: ClientTaskKind) {
        #expect(kind.kind.rawValue == kind.rawValue)
        let handlers = [ObjectIdentifier(type(of: kind.kind.handler)), ObjectIdentifier(type(of: kind.handler))]
        #expect(handlers[0] == handlers[1])
    }
}

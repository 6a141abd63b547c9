import ErrandLocking
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("A disk with too little space for bodies", .timeLimit(.hang))
struct DiskWatchTests {
    @Test("Below files.min_free no attempt begins and tasks show the reason; they start when there is space again")
    func hold() async throws {
        let free = Mutex<Int64>(10)
        let fixture = try DispatcherFixture(disk: (100, { free.withLock { $0 } }))
        try await fixture.open {
            let waiting = try await fixture.create()
            #expect(waiting.state == .queued)
            #expect(fixture.dispatcher.liveState(of: waiting).waitReason == .diskFull)
            #expect(fixture.transport.requests.isEmpty)
            free.withLock { $0 = 100 }
            try await fixture.expect(.succeeded, of: waiting)
            let next = try await fixture.create()
            #expect(fixture.dispatcher.liveState(of: next).waitReason == nil)
            try await fixture.expect(.succeeded, of: next)
        }
    }

    @Test("A disk that becomes full while no task runs is noticed before the next one")
    func idle() async throws {
        let free = Mutex<Int64>(1000)
        let fixture = try DispatcherFixture(disk: (100, { free.withLock { $0 } }))
        try await fixture.open {
            #expect(!fixture.dispatcher.isDiskShort)
            free.withLock { $0 = 10 }
            try await until { fixture.dispatcher.isDiskShort }
            let waiting = try await fixture.create()
            #expect(waiting.state == .queued)
            #expect(fixture.dispatcher.liveState(of: waiting).waitReason == .diskFull)
            #expect(fixture.transport.requests.isEmpty)
            free.withLock { $0 = 100 }
            try await fixture.expect(.succeeded, of: waiting)
        }
    }
}

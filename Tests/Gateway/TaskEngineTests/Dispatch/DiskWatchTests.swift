import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTransfer
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

    @Test("A disk that an attempt finds full is measured before the next one, which begins when there is space again")
    func fullDuringAttempt() async throws {
        let free = Mutex<Int64>(1000)
        var configuration = try DispatcherFixture.configuration()
        configuration.retry.maxAttempts = 2
        configuration.retry.backoff = RetryConfiguration.Backoff(initial: .milliseconds(1), max: .milliseconds(1))
        let fixture = try DispatcherFixture(
            configuration: configuration, disk: (100, { free.withLock { $0 } }),
            { _ in
                let isFirst = free.withLock { free in
                    defer { if free == 1000 { free = 10 } }
                    return free == 1000
                }
                return isFirst ? [.fail(TransferError(.diskFull, "full"))] : DispatcherFixture.response
            })
        try await fixture.open {
            let task = try await fixture.create()
            let queued = try #require(try await fixture.first(of: task) { $0.attemptCount == 1 && $0.state == .queued })
            #expect(fixture.dispatcher.liveState(of: queued).waitReason == .diskFull)
            #expect(fixture.transport.requests.count == 1)
            free.withLock { $0 = 100 }
            try await fixture.expect(.succeeded, of: task)
            #expect(fixture.transport.requests.count == 2)
        }
    }

    @Test("Measurements at the same time are told one after the other, the last one last")
    func order() async throws {
        let free = Mutex<[Int64]>([100, 10])
        let told = EventLog<Bool>()
        let (isMeasuring, mayEnd) = (Signal<Void>(), Signal<Void>())
        let watch = DiskWatch(minFreeBytes: 100, logger: DispatcherFixture.logger) {
            let (measured, isFirst) = free.withLock { free in (free.removeLast(), !free.isEmpty) }
            if isFirst {
                isMeasuring.send()
                await mayEnd.wait()
            }
            return measured
        }
        watch.observe { told.append($0) }
        async let first: Void = watch.look()
        await isMeasuring.wait()
        async let second: Void = watch.look()
        mayEnd.send()
        _ = await (first, second)
        #expect(told.events == [true, false])
        #expect(!watch.isShort)
    }
}

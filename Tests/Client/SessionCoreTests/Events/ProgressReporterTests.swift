import ErrandLocking
import ErrandSupport
import ErrandTime
import ErrandTransfer
import Testing

@testable import ErrandSessionCore

@Suite("A progress reporter", .timeLimit(.hang))
struct ProgressReporterTests {
    /// The control of a transfer of three bytes, which counts them when the test says so.
    private final class Sending: TransferControl {
        private let sent = Mutex<Int64>(0)

        var progress: TransferProgress { TransferProgress(sent: sent.withLock { $0 }, sendTotal: 3) }

        func count(_ bytes: Int64) { sent.withLock { $0 += bytes } }
        func resumeReceiving() {}
        func resumeSending() {}
        func suspend() {}
        func resume() {}
        func cancel() {}
    }

    /// Returns a task whose response has two bytes, then one, then a pause until the gate is open.
    private func task(_ gate: ScriptedTransport.Gate) throws -> (HookedSession, SessionTask) {
        let steps: [ScriptedTransport.Step] = [.head(200), .bytes([1, 2]), .bytes([3]), .wait(gate)]
        let hooked = try HookedSession(SessionHooks(), over: ScriptedTransport(steps))
        return (hooked, try hooked.session.task(TaskRequest()))
    }

    @Test("tells listeners of the newest bytes when a tenth of a second has passed, also if no more come")
    func newest() async throws {
        let gate = ScriptedTransport.Gate()
        let (hooked, task) = try task(gate)
        let (told, events) = (EventLog<Int64>(), task.events)
        let listening = Task {
            for await event in events {
                if case .progress(let progress) = event { told.append(progress.received) }
            }
        }
        task.resume()
        #expect(await told.first(1) == [2])
        await hooked.clock.sleepers(1)
        hooked.clock.advance(by: .milliseconds(100))
        #expect(await told.first(2) == [2, 3])
        gate.open()
        #expect(await task.outcome.error == nil)
        await listening.value
        #expect(told.events == [2, 3])
    }

    @Test("tells listeners of a session nothing after the end of a task, and lets no timer run on")
    func end() async throws {
        let gate = ScriptedTransport.Gate()
        let (hooked, task) = try task(gate)
        let events = hooked.session.events
        task.resume()
        await hooked.clock.sleepers(1)
        gate.open()
        #expect(await task.outcome.error == nil)
        _ = await hooked.clock.cancellations.first(1)
        #expect(hooked.clock.sleeperCount == 0)
        hooked.clock.advance(by: .seconds(1))
        await hooked.session.invalidate(cancelingTasks: false)
        let told = await events.reduce(into: [String]()) { told, event in
            if case .task(_, let event) = event { told.append("\(event)") }
        }
        #expect(told.contains("sent 0 and received 3 bytes"))
        #expect(told.last == "succeeded")
    }

    @Test("starts no timer if there is neither a listener nor a handler")
    func unheard() async throws {
        let gate = ScriptedTransport.Gate()
        let (hooked, task) = try task(gate)
        gate.open()
        task.resume()
        #expect(await task.outcome.error == nil)
        #expect(hooked.clock.sleeps.events.isEmpty)
        #expect(hooked.clock.cancellations.events.isEmpty)
    }

    @Test("tells of sent bytes that the transport counts only after it has read them")
    func sentBytes() async {
        let (clock, told) = (ManualClock(), EventLog<Int64>())
        let time = MonotonicClock(clock)
        let teller = ProgressTeller(
            ProgressHandler { told.append($0.upload.completed) }, statuses: .success, time: time, attempts: nil)
        let (control, transfer) = (AttemptControl(), Sending())
        teller.transferDidBegin(of: control)
        control.adopt(transfer)
        let observer = AttemptObserver(
            id: SessionTaskID(number: 1), session: EventBroadcaster(), task: nil, progress: teller)
        let source = ReportedSource(MemorySource([1, 2, 3]), ProgressReporter(control, observer, time: time))
        #expect(SourceReader(source).read(3).bytes == [1, 2, 3])
        #expect(await told.first(1) == [0])
        transfer.count(3)
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(100))
        #expect(await told.first(2) == [0, 3])
        await teller.attemptsDidEnd(control, isSuccess: true)
        #expect(told.events.last == 3)
        #expect(clock.sleeperCount == 0)
    }
}

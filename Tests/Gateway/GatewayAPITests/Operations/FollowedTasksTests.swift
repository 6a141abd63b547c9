import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandGatewayAPI

@Suite("FollowedTasks", .timeLimit(.hang))
struct FollowedTasksTests {
    private let followed = FollowedTasks()

    @Test("Nothing is followed before the stop, and nothing is waited for without time")
    func notYet() async {
        followed.note(.sample(1, state: .running))
        await followed.waitUntilRead(within: .seconds(3600)) { _ in true }
        followed.begin()
        followed.note(.sample(1, state: .running))
        await followed.waitUntilRead(within: .zero) { _ in true }
    }

    @Test("The wait ends when the ends of all tasks that clients saw running have been read")
    func read() async {
        followed.begin()
        // A queued task does not start any more.
        followed.note(.sample(3, state: .queued))
        followed.note(.sample(1, state: .running))
        followed.note(.sample(2, state: .canceling))
        followed.note(.sample(4, state: .running))
        followed.note(.sample(4, state: .succeeded))
        let waiting = Signal<Void>()
        let done = Signal<Void>()
        let wait = Task {
            await followed.waitUntilRead(within: .seconds(3600)) { id in
                waiting.send()
                return id != .sample(4)
            }
            done.send()
        }
        await waiting.wait()
        followed.note(.sample(1, state: .succeeded))
        #expect(!done.isSent)
        followed.note(.sample(2, state: .canceled))
        await wait.value
        #expect(done.isSent)
    }

    @Test("Tasks that have not ended are forgotten, and the wait ends after its time")
    func givenUp() async {
        followed.begin()
        followed.note(.sample(1, state: .running))
        followed.note(.sample(2, state: .running))
        await followed.waitUntilRead(within: .milliseconds(1)) { $0 == .sample(2) }
        await followed.waitUntilRead(within: .seconds(3600)) { _ in false }
    }
}

import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("DueProgress")
struct DueProgressTests {
    private func at(_ seconds: Int) -> Timestamp { TaskID.sample(0).timestamp.adding(.seconds(seconds)) }

    private func task(_ number: Int, at seconds: Int) -> TaskMoment {
        TaskMoment(moment: at(seconds), id: .sample(number))
    }

    /// Returns the progress after a walk that has passed a task.
    private func passed(_ task: TaskMoment) -> DueProgress {
        var progress = DueProgress()
        _ = progress.begin(at: task.moment)
        progress.pass(task)
        progress.end()
        return progress
    }

    @Test("A walk continues behind the last task that was passed")
    func position() {
        var progress = passed(task(5, at: 10))
        #expect(progress.passed == task(5, at: 10))
        let again = progress.begin(at: at(20))
        progress.pass(task(1, at: 15))
        progress.end()
        #expect(again.isEmpty)
        #expect(progress.passed == task(1, at: 15))
        #expect(progress.nextAgain == nil)
    }

    @Test("A task that was written behind the position gets the step again, once; one before the position does not")
    func written() {
        var progress = passed(task(5, at: 10))
        progress.note(.sample(1), at: at(10))
        progress.note(.sample(2), at: at(5))
        progress.note(.sample(6), at: at(10))
        progress.note(.sample(7), at: at(30))
        let next = progress.nextAgain
        let again = progress.begin(at: at(20))
        progress.repeatStep(for: again)
        progress.end()
        let more = progress.begin(at: at(20))
        #expect(next == at(5))
        #expect(again == [task(2, at: 5), task(1, at: 10)])
        #expect(more.isEmpty)
    }

    @Test("A task that is written after a page was read, and before the page is passed, is not missed")
    func writtenDuringWalk() {
        var progress = DueProgress()
        _ = progress.begin(at: at(20))
        // Moved by its client from a later time into the page; another one into the next page.
        progress.note(.sample(1), at: at(12))
        progress.note(.sample(2), at: at(18))
        progress.pass(task(5, at: 15))
        progress.end()
        let again = progress.begin(at: at(20))
        #expect(again == [task(1, at: 12)])
    }

    @Test("A task that was removed, or waits for nothing any more, does not get the step again")
    func removed() {
        var progress = passed(task(5, at: 10))
        for number in 1...3 { progress.note(.sample(number), at: at(5)) }
        progress.forget(.sample(1))
        progress.note(.sample(2), at: nil)
        progress.note(.sample(3), at: at(50))
        let again = progress.begin(at: at(20))
        #expect(again.isEmpty)
    }

    @Test("Tasks that failed get the step again")
    func failed() {
        var progress = passed(task(5, at: 10))
        progress.fail([task(3, at: 8), task(5, at: 10)])
        let again = progress.begin(at: at(10))
        #expect(again == [task(3, at: 8), task(5, at: 10)])
    }

    @Test("A task that was written while its step failed gets the step again at its new moment")
    func failedAndWritten() {
        var progress = passed(task(5, at: 10))
        progress.note(.sample(3), at: at(9))
        progress.fail([task(3, at: 8)])
        #expect(progress.nextAgain == at(9))
    }

    @Test("After the clock was set back, walks pass the tasks again whose moments have not come")
    func setBack() {
        var progress = passed(task(5, at: 100))
        progress.note(.sample(1), at: at(20))
        progress.note(.sample(2), at: at(90))
        let again = progress.begin(at: at(50))
        let position = progress.passed
        progress.end()
        #expect(again == [task(1, at: 20)])
        // Behind all tasks of the present, before all later ones.
        #expect(position.map { $0 > task(1_000_000, at: 50) && $0 < task(0, at: 51) } == true)
        #expect(progress.nextAgain == at(20))
    }
}

import Dispatch
import ErrandLocking
import ErrandSupport
import Glibc
import Synchronization
import Testing

@Suite("A continuation")
struct ContinuationTests {
    /// A value whose members are not synchronized by themselves.
    private final class Value: Sendable {
        let number: Int
        let text: String

        init(_ number: Int) {
            self.number = number
            text = "The text of the value \(number) needs memory of its own"
        }
    }

    @Test("returns the value of its resumption, before or after the task waits")
    func value() async {
        let early = await withContinuation { $0.resume(returning: 1) }
        let late = await withContinuation { continuation in
            Task { continuation.resume(returning: 2) }
        }
        #expect(early == 1 && late == 2)
    }

    // Under the thread sanitizer this fails with CheckedContinuation: the runtime hides the order of the two threads if
    // the resumption comes first, which half of these do.
    @Test("hands over values that another thread has made, also if it is resumed before the task waits")
    func handover() async {
        let queue = DispatchQueue(label: "errand.tests.continuation")
        for number in 0..<200 {
            let isResumed = Atomic<Bool>(false)
            let value: Value = await withContinuation { continuation in
                queue.async {
                    continuation.resume(returning: Value(number))
                    isResumed.store(true, ordering: .relaxed)
                }
                // A relaxed load creates no order of its own.
                while number.isMultiple(of: 2), !isResumed.load(ordering: .relaxed) {}
            }
            #expect(value.number == number && value.text.contains("\(number)"))
        }
    }

    @Test("ends the process when it is resumed twice")
    func twice() async {
        let result = await #expect(processExitsWith: .failure) {
            endInTime()
            await withContinuation { (continuation: Continuation<Void>) in
                continuation.resume()
                continuation.resume()
            }
        }
        #expect(result?.exitStatus != .signal(SIGALRM), "it hung")
    }
}

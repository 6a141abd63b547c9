import Dispatch
import Fuzzing
import Glibc

/// The target that this process fuzzes: the one by whose name the program was called.
///
/// One program serves all targets, through links with their names: linking the instrumented libraries once is what a
/// short run has time for.
private let target = FuzzTarget.named(programName())

/// What libFuzzer calls with each input (its `FuzzerInterface.h`), on the main thread.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { stop("no fuzz target is called \(programName())") }
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let done = DispatchSemaphore(value: 0)
    Task(executorPreference: CallingThread()) {
        do {
            try await target.run(input)
        } catch {
            stop("\(target.name): \(error)")
        }
        done.signal()
    }
    done.wait()
    return 0
}

/// Runs jobs where they become ready: a check that waits for nothing ends before `Task.init` returns, so that no other
/// thread's work is mistaken for the input's.
private final class CallingThread: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

private func programName() -> String {
    String(CommandLine.arguments[0].split(separator: "/").last ?? "")
}

/// Ends the process so that libFuzzer keeps the input and reports it.
private func stop(_ reason: String) -> Never {
    let line = Array("broken promise: \(reason)\n".utf8)
    // Nothing can be done when nobody reads it.
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}

import Dispatch
import ErrandFuzzing
import Glibc

/// The target that this process fuzzes, selected by the name of the executable.
///
/// A single executable serves all targets, through links with their names, because linking the instrumented libraries
/// takes too long to do for each.
private let target = FuzzTarget.named(programName())

/// The entry point of libFuzzer for each input (see its `FuzzerInterface.h`), on the main thread.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { stop("unknown fuzz target \(programName())") }
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

/// An executor that runs jobs on the thread on which they become ready.
///
/// A check that does not wait ends before `Task.init` returns, so that work of another thread is not attributed to the
/// input.
private final class CallingThread: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

private func programName() -> String {
    String(CommandLine.arguments[0].split(separator: "/").last ?? "")
}

/// Ends the process in a way that makes libFuzzer keep the input and report it.
private func stop(_ reason: String) -> Never {
    let line = Array("broken promise: \(reason)\n".utf8)
    // A failure to write the message is ignored, because there is no other way to report it.
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}

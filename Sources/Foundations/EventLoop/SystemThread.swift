import CErrandLinux
package import ErrandFiles
import Glibc

/// A thread of the system with a name, apart from the pools of Swift and libdispatch.
///
/// Call either ``join()`` or ``detach()``, once.
package struct SystemThread: Sendable {
    private let thread: pthread_t

    /// Starts a thread.
    ///
    /// SIGPIPE is blocked on it, so that writes to a closed connection or pipe fail with `EPIPE`. Otherwise the signal
    /// would end the process: TLS libraries write without `MSG_NOSIGNAL`. A blocked SIGPIPE, which a thread sends to
    /// itself, stays pending on that thread.
    ///
    /// - Parameters:
    ///   - name: The name, of which the system shows at most 15 characters.
    ///   - body: The work of the thread, which ends with it.
    /// - Throws: `SystemFailure` if the process is out of threads.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemFailure) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(ThreadWork(name: name, body: body)).toOpaque()
        let code = pthread_create(&thread, nil, threadMain, context)
        guard code == 0 else {
            Unmanaged<ThreadWork>.fromOpaque(context).release()
            throw SystemFailure("pthread_create", number: code)
        }
        self.thread = thread
    }

    /// Waits until the thread has ended.
    ///
    /// It blocks the calling thread.
    package func join() {
        pthread_join(thread, nil)
    }

    /// Lets the system free the thread when it has ended.
    package func detach() {
        pthread_detach(thread)
    }
}

/// The name and the work of a thread that starts.
private final class ThreadWork: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// The entry point of a thread, which owns one reference to its work.
private nonisolated func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let work = Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue()
    pthread_setname_np(pthread_self(), String(work.name.prefix(15)))
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    work.body()
    return nil
}

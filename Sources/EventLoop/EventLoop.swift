import CLinux
import Dispatch
import Glibc
import Locking

import struct Synchronization.Atomic

/// A thread with an epoll instance that is also a serial executor.
///
/// An actor whose `unownedExecutor` is a loop runs on the loop's thread, where the C library that the loop drives calls
/// back: both share one isolation and need no lock between them. Each turn runs the enqueued jobs, then hands the
/// ready descriptors to the ``EventLoopClient``, then waits.
///
/// The thread starts with ``start(_:)`` and ends with ``shutdown()``, which joins it. A job that arrives before or
/// after is run by a thread that lives as long as there are such jobs, so that no actor call hangs.
package final class EventLoop: SerialExecutor, Sendable {
    /// The name of the thread, at most 15 characters are shown by the system.
    package let name: String
    private let epoll: EpollSet
    private let shared: Mutex<Shared>
    /// The `pthread_t` of the thread that runs now, or 0.
    private let current = Atomic<UInt>(0)

    private struct Shared {
        var jobs: [UnownedJob] = []
        var phase = Phase.idle
        /// The thread waits in `epoll_wait`, or is about to: who brings work must wake it.
        var isWaiting = false
        /// Somebody asked for a turn that has not begun yet.
        var isTurnWanted = false
        /// The thread that ``shutdown()`` joins.
        var joinable: pthread_t?
        /// Callers of ``shutdown()`` that wait for the first of them to have joined the thread.
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
        var client: (any EventLoopClient)?
    }

    private enum Phase {
        /// No thread. A job starts one that ends when nothing is left.
        case idle
        /// A thread runs the jobs of an idle loop, and no client.
        case draining
        /// The thread runs until it is told to end.
        case running
        /// Told to end; the thread makes its last turn.
        case ending
    }

    /// What a call of ``shutdown()`` has to do.
    private enum Ending {
        case nothing
        case join(pthread_t)
        case wait
    }

    /// Creates a loop without a thread yet.
    ///
    /// - Throws: ``EventLoopError`` when the process is out of descriptors.
    package init(name: String) throws(EventLoopError) {
        self.name = name
        epoll = try EpollSet()
        shared = Mutex(Shared())
    }

    // MARK: Life

    /// Starts the thread that drives `client` until ``shutdown()``.
    ///
    /// A loop is started once, before its first job.
    ///
    /// - Throws: ``EventLoopError`` when no thread can be made, or the loop has one already (`EBUSY`).
    package func start(_ client: some EventLoopClient) throws(EventLoopError) {
        try shared.withLock { (shared) throws(EventLoopError) in
            guard shared.phase == .idle, shared.joinable == nil else {
                throw EventLoopError(operation: "start", errorNumber: EBUSY)
            }
            // The new thread begins with taking this lock: it sees all that is set here.
            shared.joinable = try launch()
            shared.client = client
            shared.phase = .running
        }
    }

    /// Ends the thread after its client's ``EventLoopClient/loopWillEnd()`` and waits until it is gone.
    ///
    /// Not to be awaited on the loop itself, which would wait for its own end.
    package func shutdown() async {
        let ending: Ending = shared.withLock { shared in
            switch shared.phase {
            case .running:
                shared.phase = .ending
                return shared.joinable.map(Ending.join) ?? .nothing
            case .ending:
                return .wait
            case .idle, .draining:
                return shared.joinable == nil ? .nothing : .wait
            }
        }
        switch ending {
        case .nothing:
            return
        case .join(let thread):
            epoll.wake()
            await join(thread)
        case .wait:
            await withCheckedContinuation { continuation in
                let isOver = shared.withLock { shared in
                    if shared.joinable != nil { shared.waitingForEnd.append(continuation) }
                    return shared.joinable == nil
                }
                if isOver { continuation.resume() }
            }
        }
    }

    private func join(_ thread: pthread_t) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                pthread_join(thread, nil)
                continuation.resume()
            }
        }
        let waiting = shared.withLock { shared in
            shared.joinable = nil
            defer { shared.waitingForEnd = [] }
            return shared.waitingForEnd
        }
        for continuation in waiting {
            continuation.resume()
        }
    }

    private func launch() throws(EventLoopError) -> pthread_t {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let code = pthread_create(&thread, nil, eventLoopMain, context)
        guard code == 0 else {
            Unmanaged<EventLoop>.fromOpaque(context).release()
            throw EventLoopError(operation: "pthread_create", errorNumber: code)
        }
        return thread
    }

    /// The body of the thread: ``eventLoopMain`` calls it.
    fileprivate func run() {
        pthread_setname_np(pthread_self(), String(name.prefix(15)))
        blockBrokenPipeSignal()
        current.store(pthread_self(), ordering: .relaxed)
        let client = shared.withLock { $0.client }
        var jobs: [UnownedJob] = []
        var ready: [ReadyDescriptor] = []
        ready.reserveCapacity(EpollSet.capacity)
        while true {
            runJobs(&jobs)
            let allowed = client?.turn(ready: ready) ?? 0
            switch nextStep(allowed: allowed) {
            case .wait(let milliseconds):
                epoll.wait(milliseconds: milliseconds, into: &ready)
                shared.withLock { shared in
                    shared.isWaiting = false
                    shared.isTurnWanted = false
                }
            case .end:
                client?.loopWillEnd()
                finish()
                return
            }
        }
    }

    private enum Step {
        case wait(milliseconds: Int32)
        case end
    }

    private func nextStep(allowed: Int32) -> Step {
        shared.withLock { shared in
            switch shared.phase {
            case .ending:
                return .end
            case .draining where shared.jobs.isEmpty:
                return .end
            case .idle, .draining, .running:
                guard shared.jobs.isEmpty, !shared.isTurnWanted else { return .wait(milliseconds: 0) }
                shared.isWaiting = allowed != 0
                return .wait(milliseconds: allowed)
            }
        }
    }

    private func runJobs(_ jobs: inout [UnownedJob]) {
        shared.withLock { swap(&$0.jobs, &jobs) }
        let executor = asUnownedSerialExecutor()
        for job in jobs {
            job.runSynchronously(on: executor)
        }
        jobs.removeAll(keepingCapacity: true)
    }

    /// Leaves the loop idle; jobs that came while the last turn ran get a draining thread.
    private func finish() {
        current.store(0, ordering: .relaxed)
        let hasJobs = shared.withLock { shared in
            shared.client = nil
            shared.phase = shared.jobs.isEmpty ? .idle : .draining
            return !shared.jobs.isEmpty
        }
        if hasJobs {
            drain()
        }
    }

    private func drain() {
        do {
            // Nobody joins a thread that only drains.
            pthread_detach(try launch())
        } catch {
            // Out of threads: the jobs stay, and the next one tries again.
            shared.withLock { $0.phase = .idle }
        }
    }

    // MARK: Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (wake, drains) = shared.withLock { shared in
            shared.jobs.append(job)
            let wake = shared.isWaiting
            shared.isWaiting = false
            let drains = shared.phase == .idle
            if drains { shared.phase = .draining }
            return (wake, drains)
        }
        if wake { epoll.wake() }
        if drains { drain() }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Whether the caller is on the loop's thread.
    package var isOnLoop: Bool {
        current.load(ordering: .relaxed) == pthread_self()
    }

    package func checkIsolated() {
        // What the protocol asks for: an actor entered from a foreign thread is a mistake of the program.
        precondition(isOnLoop, "not on the thread of event loop \(name)")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isOnLoop
    }

    /// Ends a wait, now or the next one, so that the client gets a turn.
    ///
    /// Any thread; cheap while the loop is busy.
    package func wake() {
        let wakes = shared.withLock { shared in
            shared.isTurnWanted = true
            defer { shared.isWaiting = false }
            return shared.isWaiting
        }
        if wakes { epoll.wake() }
    }

    // MARK: Descriptors, on the loop's thread

    /// Watches a descriptor, or changes what it is watched for.
    ///
    /// - Returns: `false` when the system refuses, with the reason in `errno`.
    @discardableResult
    package func watch(_ descriptor: Int32, for readiness: Readiness) -> Bool {
        epoll.watch(descriptor, for: readiness)
    }

    /// Stops watching a descriptor.
    ///
    /// To be called before it is closed: its number may come back for another file.
    package func unwatch(_ descriptor: Int32) {
        epoll.unwatch(descriptor)
    }

    /// Forgets a descriptor that is about to be closed, which the system then stops watching by itself: one system call
    /// less than ``unwatch(_:)``.
    package func forget(_ descriptor: Int32) {
        epoll.forget(descriptor)
    }
}

/// Has writes to a closed connection fail with `EPIPE` on the calling thread instead of killing the process: TLS
/// libraries write without `MSG_NOSIGNAL`.
///
/// A blocked signal of this kind, which a thread sends to itself, stays there.
private nonisolated func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}

/// The entry of the loop's thread, which owns one reference to the loop.
private nonisolated func eventLoopMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
    return nil
}

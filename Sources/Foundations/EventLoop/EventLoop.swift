import Dispatch
package import ErrandFiles
import ErrandLocking
import Glibc

import struct Synchronization.Atomic

/// A thread with an epoll instance that is also a serial executor.
///
/// An actor whose `unownedExecutor` is a loop runs on the loop's thread, on which the C library that the loop drives
/// calls back: both share one isolation domain and need no lock between them. Each turn runs the enqueued jobs, then
/// passes the ready descriptors to the ``EventLoopClient``, then waits.
///
/// The thread starts with ``start(_:)`` and ends with ``shutdown()``, which joins it. A temporary thread runs the jobs
/// that arrive before or after that, so that no actor call hangs.
package final class EventLoop: SerialExecutor, Sendable {
    /// The most ready descriptors of a turn, without the loop's own; with fewer, none are left.
    package static let maxReadyDescriptors = EpollSet.capacity - 1
    /// The name of the thread, of which the system shows at most 15 characters.
    package let name: String
    private let epoll: EpollSet
    private let shared: Mutex<Shared>
    /// The `pthread_t` of the running thread, or 0.
    private let current = Atomic<UInt>(0)

    private struct Shared {
        var jobs: [UnownedJob] = []
        var phase = Phase.idle
        /// True if the thread waits in `epoll_wait`, or is about to: new work must wake it.
        var isWaiting = false
        /// True if a turn was requested and has not begun.
        var isTurnWanted = false
        /// The thread that ``shutdown()`` joins.
        var joinable: SystemThread?
        /// The callers of ``shutdown()`` that wait until the first one has joined the thread.
        var waitingForEnd: [Continuation<Void>] = []
        var client: (any EventLoopClient)?

        /// Notes that the thread no longer waits.
        ///
        /// - Returns: True if it did, so that the caller must wake it.
        mutating func endWait() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }
    }

    private enum Phase {
        /// No thread. A job starts one, which ends when no jobs are left.
        case idle
        /// A thread runs the jobs of a loop that is not started, without a client.
        case draining
        /// The thread runs until ``shutdown()``.
        case running
        /// Shutdown was requested; the thread runs its last turn.
        case ending
    }

    /// The action that a call of ``shutdown()`` takes.
    private enum Ending {
        case nothing
        case join(SystemThread)
        case wait
    }

    /// Creates a loop without a thread.
    ///
    /// - Throws: `SystemFailure` if the process is out of descriptors.
    package init(name: String) throws(SystemFailure) {
        self.name = name
        epoll = try EpollSet()
        shared = Mutex(Shared())
    }

    // MARK: Life

    /// Starts the thread that drives `client` until ``shutdown()``.
    ///
    /// A loop is started once, before its first job.
    ///
    /// - Throws: `SystemFailure` if no thread can be created, or the loop already has one (`EBUSY`).
    package func start(_ client: some EventLoopClient) throws(SystemFailure) {
        try shared.withLock { (shared) throws(SystemFailure) in
            guard shared.phase == .idle, shared.joinable == nil else {
                throw SystemFailure("start", number: EBUSY)
            }
            // The new thread first takes this lock, so that it sees all values that are set here.
            shared.joinable = try launch()
            shared.client = client
            shared.phase = .running
        }
    }

    /// Ends the thread after its client's ``EventLoopClient/loopWillEnd()`` and waits until it has ended.
    ///
    /// Do not await it on the loop itself, which would be a deadlock.
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
            await withContinuation { continuation in
                let isOver = shared.withLock { shared in
                    if shared.joinable != nil { shared.waitingForEnd.append(continuation) }
                    return shared.joinable == nil
                }
                if isOver { continuation.resume() }
            }
        }
    }

    private func join(_ thread: SystemThread) async {
        await DispatchQueue(label: "errand.event-loop.end").perform { thread.join() }
        let waiting = shared.withLock { shared in
            shared.joinable = nil
            defer { shared.waitingForEnd = [] }
            return shared.waitingForEnd
        }
        for continuation in waiting {
            continuation.resume()
        }
    }

    private func launch() throws(SystemFailure) -> SystemThread {
        try SystemThread(name: name) { self.run() }
    }

    /// Runs the turns, on the thread.
    private func run() {
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

    /// Ends the run; jobs that arrived during the last turn get a temporary thread.
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
            // A temporary thread is not joined.
            try launch().detach()
        } catch {
            // Out of threads: the jobs stay queued, and the next job tries again.
            shared.withLock { $0.phase = .idle }
        }
    }

    // MARK: Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (wake, drains) = shared.withLock { shared in
            shared.jobs.append(job)
            let wake = shared.endWait()
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

    /// True if the caller is on the loop's thread.
    package var isOnLoop: Bool {
        current.load(ordering: .relaxed) == pthread_self()
    }

    package func checkIsolated() {
        // The protocol requires this check: entering an actor from a foreign thread is a programming error.
        precondition(isOnLoop, "not on the thread of event loop \(name)")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isOnLoop
    }

    /// Ends the current wait or the next one, so that the client gets a turn.
    ///
    /// Thread-safe; cheap while the loop is busy.
    package func wake() {
        let wakes = shared.withLock { shared in
            shared.isTurnWanted = true
            return shared.endWait()
        }
        if wakes { epoll.wake() }
    }

    // MARK: Descriptors, on the loop's thread

    /// Watches a descriptor, or changes the events for which it is watched.
    ///
    /// - Returns: `false` if the system refuses, with the reason in `errno`.
    @discardableResult
    package func watch(_ descriptor: Int32, for readiness: Readiness) -> Bool {
        epoll.watch(descriptor, for: readiness)
    }

    /// Stops watching a descriptor.
    ///
    /// Call this before the descriptor is closed: its number may be reused for another file.
    package func unwatch(_ descriptor: Int32) {
        epoll.unwatch(descriptor)
    }

    /// Removes a descriptor that is about to be closed.
    ///
    /// The system then stops watching it by itself, which saves a system call compared with ``unwatch(_:)``.
    package func forget(_ descriptor: Int32) {
        epoll.forget(descriptor)
    }
}

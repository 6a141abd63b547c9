import CErrandLinux
package import ErrandFiles
import Glibc

/// A signal for a thread that waits for it alone, or among the descriptors of an ``EpollSet``.
///
/// The time of a wait is measured by the monotonic clock. On Linux a semaphore of libdispatch measures it by the time
/// of day: a clock that is set back would make the wait longer. Thread-safe; one thread waits at a time.
package final class WakeSignal: Sendable {
    /// The number of the eventfd, which is readable while there is a signal to take.
    let descriptor: Int32

    /// Creates a signal that was not sent.
    package init() throws(SystemFailure) {
        let descriptor = clinux_eventfd()
        guard descriptor >= 0 else { throw SystemFailure("eventfd") }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Ends the current wait, or the next one; signals that were not taken count once.
    package func send() {
        // The counter cannot be full, because it is taken as a whole; even then, the wait would end.
        _ = eventfd_write(descriptor, 1)
    }

    /// Waits for the signal, and takes it.
    ///
    /// - Parameter milliseconds: The longest time to wait; `nil` for no limit.
    /// - Returns: False if the time has passed without a signal.
    @discardableResult
    package func wait(milliseconds: Int? = nil) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let timeout = milliseconds.map { Int32(clamping: $0) } ?? -1
        var ready = poll(&entry, 1, timeout)
        // A handler of a signal has run on this thread, which is rare: the wait begins anew.
        while ready < 0, errno == EINTR { ready = poll(&entry, 1, timeout) }
        return ready > 0 && take()
    }

    /// Takes the signal without waiting.
    ///
    /// - Returns: False if there is none.
    @discardableResult
    func take() -> Bool {
        var count: eventfd_t = 0
        return eventfd_read(descriptor, &count) == 0
    }
}

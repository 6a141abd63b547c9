import CErrandLinux
import ErrandFiles
import Glibc

/// An epoll instance with a ``WakeSignal`` that ends its waits.
///
/// Only the loop's thread watches descriptors; ``wake()`` is thread-safe.
///
/// `@unchecked Sendable`: the descriptor and the signal never change, and only the loop's thread accesses the masks and
/// the event buffer.
final class EpollSet: @unchecked Sendable {
    /// The most events of one wait.
    static let capacity = 256

    private let epoll: Int32
    private let wakeup: WakeSignal
    private let events: UnsafeMutablePointer<epoll_event>
    /// The events for which each descriptor is watched, by its number; ``unwatched`` for the others.
    ///
    /// An unchanged mask then costs no system call. The system assigns the lowest free numbers, so that the array stays
    /// small.
    private var masks: [UInt32] = []

    /// The mask of a descriptor that is not watched; it is not a valid combination of events.
    private static let unwatched = UInt32.max

    init() throws(SystemFailure) {
        wakeup = try WakeSignal()
        let epoll = clinux_epoll_create()
        guard epoll >= 0 else { throw SystemFailure("epoll_create1") }
        self.epoll = epoll
        events = .allocate(capacity: Self.capacity)
        // All properties have values, so that `deinit` follows a failure.
        guard clinux_epoll_add(epoll, wakeup.descriptor, clinux_EPOLLIN) == 0 else { throw SystemFailure("epoll_ctl") }
    }

    deinit {
        events.deallocate()
        close(epoll)
    }

    /// Ends the current wait, or the next one.
    ///
    /// Thread-safe.
    func wake() {
        wakeup.send()
    }

    /// Waits for events.
    ///
    /// - Parameters:
    ///   - milliseconds: The longest time to wait; negative for no limit.
    ///   - ready: Cleared, then filled with the ready descriptors, without the set's own.
    func wait(milliseconds: Int32, into ready: inout [ReadyDescriptor]) {
        ready.removeAll(keepingCapacity: true)
        var count = epoll_wait(epoll, events, Int32(Self.capacity), milliseconds)
        // The wait was interrupted, for example after the whole process was stopped: report the descriptors that are
        // ready now.
        if count < 0, errno == EINTR { count = epoll_wait(epoll, events, Int32(Self.capacity), 0) }
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let event = events[index]
            if event.data.fd == wakeup.descriptor {
                wakeup.take()
            } else {
                ready.append(ReadyDescriptor(descriptor: event.data.fd, readiness: Readiness(rawValue: event.events)))
            }
        }
    }

    /// Watches a descriptor, or changes the events for which it is watched.
    func watch(_ descriptor: Int32, for readiness: Readiness) -> Bool {
        guard let index = Int(exactly: descriptor), index >= 0 else {
            errno = EBADF
            return false
        }
        if index >= masks.count {
            masks.append(contentsOf: repeatElement(Self.unwatched, count: index + 1 - masks.count))
        }
        let mask = readiness.rawValue
        let known = masks[index]
        guard known != mask else { return true }
        var code =
            known == Self.unwatched
            ? clinux_epoll_add(epoll, descriptor, mask) : clinux_epoll_modify(epoll, descriptor, mask)
        if code != 0, known != Self.unwatched, errno == ENOENT {
            // The number was closed and reused elsewhere: the system has removed the old descriptor.
            code = clinux_epoll_add(epoll, descriptor, mask)
        }
        guard code == 0 else { return false }
        masks[index] = mask
        return true
    }

    /// Stops watching an open descriptor, also one that was forgotten but not closed.
    func unwatch(_ descriptor: Int32) {
        forget(descriptor)
        // This fails if the system does not watch the descriptor, for example because it is closed.
        _ = clinux_epoll_delete(epoll, descriptor)
    }

    /// Removes a descriptor that is closed, and that the system therefore no longer watches.
    func forget(_ descriptor: Int32) {
        guard let index = Int(exactly: descriptor), masks.indices.contains(index) else { return }
        masks[index] = Self.unwatched
    }
}

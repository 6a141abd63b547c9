import CLinux
import Glibc

/// An epoll instance with an eventfd that ends its waits.
///
/// Watched descriptors belong to the loop's thread; ``wake()`` may be called from any.
///
/// `@unchecked Sendable`: the two descriptors never change, and the masks and the event buffer are touched by the
/// loop's thread alone.
final class EpollSet: @unchecked Sendable {
    /// How many events one wait can bring.
    static let capacity = 256

    private let epoll: Int32
    private let wakeup: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    /// What each descriptor is watched for, by its number, so that an unchanged mask costs no system call;
    /// ``unwatched`` for the others.
    ///
    /// The system gives out the lowest free numbers, so the array stays small.
    private var masks: [UInt32] = []

    /// No combination of events.
    private static let unwatched = UInt32.max

    init() throws(EventLoopError) {
        let epoll = clinux_epoll_create()
        guard epoll >= 0 else { throw EventLoopError(operation: "epoll_create1", errorNumber: errno) }
        let wakeup = clinux_eventfd()
        guard wakeup >= 0 else {
            let reason = errno
            close(epoll)
            throw EventLoopError(operation: "eventfd", errorNumber: reason)
        }
        guard clinux_epoll_add(epoll, wakeup, clinux_EPOLLIN) == 0 else {
            let reason = errno
            close(wakeup)
            close(epoll)
            throw EventLoopError(operation: "epoll_ctl", errorNumber: reason)
        }
        self.epoll = epoll
        self.wakeup = wakeup
        events = .allocate(capacity: Self.capacity)
    }

    deinit {
        events.deallocate()
        close(wakeup)
        close(epoll)
    }

    /// Ends the wait that is on, or the next one.
    ///
    /// Any thread.
    func wake() {
        // The counter of an eventfd cannot be full here, and if it were, the wait would end all the same.
        _ = eventfd_write(wakeup, 1)
    }

    /// Waits for events.
    ///
    /// - Parameters:
    ///   - milliseconds: The longest time to wait; negative for no limit.
    ///   - ready: Emptied, then filled with the descriptors that are ready, without the set's own.
    func wait(milliseconds: Int32, into ready: inout [ReadyDescriptor]) {
        ready.removeAll(keepingCapacity: true)
        // A signal (EINTR) is a turn without events.
        let count = epoll_wait(epoll, events, Int32(Self.capacity), milliseconds)
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let event = events[index]
            if event.data.fd == wakeup {
                var value: eventfd_t = 0
                _ = eventfd_read(wakeup, &value)
            } else {
                ready.append(ReadyDescriptor(descriptor: event.data.fd, readiness: Readiness(rawValue: event.events)))
            }
        }
    }

    /// Watches a descriptor, or changes what it is watched for.
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
            // Closed and opened again behind our back: the system forgot the old one.
            code = clinux_epoll_add(epoll, descriptor, mask)
        }
        guard code == 0 else { return false }
        masks[index] = mask
        return true
    }

    /// Stops watching a descriptor that is still open.
    func unwatch(_ descriptor: Int32) {
        guard forget(descriptor) else { return }
        // Fails when the descriptor is closed already, and then there is nothing left to stop watching.
        _ = clinux_epoll_delete(epoll, descriptor)
    }

    /// Forgets a descriptor that the system forgets by itself because it is closed.
    ///
    /// - Returns: Whether it was watched.
    @discardableResult
    func forget(_ descriptor: Int32) -> Bool {
        guard let index = Int(exactly: descriptor), masks.indices.contains(index) else { return false }
        defer { masks[index] = Self.unwatched }
        return masks[index] != Self.unwatched
    }
}

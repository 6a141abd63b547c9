import CErrandCurl
import ErrandFiles
import ErrandTransfer
import Glibc

/// Admits the name lookups of an engine, and notices when those end that libcurl has left to their threads.
///
/// libcurl runs the system's resolver on a thread for each lookup, and waits for the thread at a socket, one of a pair.
/// When the lookup is over, the thread writes to the pair, or closes its end if libcurl has left it. A duplicate of the
/// socket therefore becomes readable when the thread of an abandoned lookup has ended.
///
/// libcurl also stops waiting when another transfer has found the address. The lookup is abandoned only if its transfer
/// ends before it.
///
/// Used on the loop's thread only.
final class NameLookups {
    /// The reason for which a lookup may not begin now.
    enum Refusal: Equatable {
        /// As many earlier lookups as may, or more, still go on although their transfers have ended.
        case tooManyAbandoned(limit: Int)
        /// The descriptors that a lookup takes are not free.
        case tooFewDescriptors

        /// The reason in words, with the remedy.
        var reason: String {
            switch self {
            case .tooManyAbandoned(let limit):
                "\(limit) earlier lookups, whose transfers have ended, still wait for a name server, and no more may; "
                    + "check the name servers of this machine, or try again later"
            case .tooFewDescriptors:
                "the process has too few free descriptors; raise the limit of open files, or try again later"
            }
        }
    }

    /// A duplicate of the socket at which libcurl waited for a lookup.
    private final class End {
        let descriptor: FileDescriptor

        init(of socket: Int32) throws(SystemFailure) {
            descriptor = try FileDescriptor(duplicating: socket)
        }
    }

    /// The number of descriptors that a lookup takes: the pair of sockets, and up to two of the resolver.
    private static let descriptorCount = 4
    /// The number of descriptors that are checked: the last below `DescriptorReserve`.
    private static let checkedDescriptorCount: Int32 = 256

    private let sockets: SocketTable
    private var abandoned: AbandonedLookups
    /// The ends of the lookups that libcurl no longer waits for, by their numbers.
    private var ends: [Int: End] = [:]
    /// The numbers of these lookups, by the descriptors of their ends.
    private(set) var numbers: [Int32: Int] = [:]
    private var nextNumber = 0

    init(sockets: SocketTable, abandoned: AbandonedLookups) {
        self.sockets = sockets
        self.abandoned = abandoned
    }

    /// Returns the reason for which a pool may not begin a lookup now; `nil` if it may.
    func refusal(for pool: PoolID, at now: MonotonicInstant) -> Refusal? {
        guard let refusal = judge(pool, at: now) else { return nil }
        // Lookups may have ended since the ready descriptors were last handled.
        return removeEnded() ? judge(pool, at: now) : refusal
    }

    private func judge(_ pool: PoolID, at now: MonotonicInstant) -> Refusal? {
        if let limit = abandoned.reachedLimit(of: pool, at: now) { return .tooManyAbandoned(limit: limit) }
        return Self.hasDescriptors ? nil : .tooFewDescriptors
    }

    /// A Boolean value that indicates whether enough descriptors are free for a lookup.
    ///
    /// libcurl and the resolver open them without regard to `DescriptorReserve`. The system gives out the lowest free
    /// numbers, so that the highest are in use only if nearly all are, or have been: only then some are opened.
    static var hasDescriptors: Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        let end = max(0, Int32(clamping: limit.rlim_cur) - Int32(DescriptorReserve.count))
        var entries = (max(0, end - checkedDescriptorCount)..<end).map { pollfd(fd: $0, events: 0, revents: 0) }
        guard poll(&entries, nfds_t(entries.count), 0) >= 0 else { return false }
        let free = entries.count { $0.revents & Int16(POLLNVAL) != 0 }
        return free >= descriptorCount || canOpenDescriptors
    }

    /// A Boolean value that indicates whether enough descriptors can be opened now.
    private static var canOpenDescriptors: Bool {
        let opened = (0..<descriptorCount).map { _ in
            DescriptorReserve.admit(open("/dev/null", O_RDONLY | O_CLOEXEC))
        }
        for descriptor in opened where descriptor >= 0 { close(descriptor) }
        return opened.allSatisfy { $0 >= 0 }
    }

    /// Records that libcurl no longer waits for a lookup, whether or not it is over.
    ///
    /// - Parameter socket: The socket at which it has waited, which is still open.
    /// - Returns: The number of the lookup, if it goes on; otherwise `nil`.
    func didStopWaiting(at socket: Int32) -> Int? {
        guard !Self.isOver(socket) else { return nil }
        // Without a descriptor for its end the lookup does not count, and no other begins either.
        guard let end = try? End(of: socket), sockets.watchOnce(end.descriptor.number) else { return nil }
        nextNumber += 1
        ends[nextNumber] = end
        numbers[end.descriptor.number] = nextNumber
        return nextNumber
    }

    /// Records that the transfer of a lookup has ended.
    ///
    /// - Parameters:
    ///   - lookup: The number of the lookup, which may have ended.
    ///   - pool: The pool of the transfer.
    func didAbandon(_ lookup: Int, of pool: PoolID) {
        if ends[lookup] != nil { abandoned.add(lookup, of: pool) }
    }

    /// Records that a transfer of a pool has ended, and that libcurl may have left a lookup without telling.
    func didAbandonUnseen(of pool: PoolID, at now: MonotonicInstant) {
        abandoned.addUnseen(of: pool, at: now)
    }

    /// Records that a descriptor was ready that no pool waits for, and that is no longer watched: perhaps the end of a
    /// lookup.
    func descriptorIsReady(_ descriptor: Int32) {
        guard numbers[descriptor] != nil else { return }
        if Self.isOver(descriptor) { return remove(descriptor) }
        // A connection was ready that had the same number, and was closed in this turn. If the system refuses to watch
        // the end again, the lookup counts until ``removeEnded()``.
        _ = sockets.watchOnce(descriptor)
    }

    /// Returns whether the lookup is over whose thread writes to the other end of a socket.
    private static func isOver(_ socket: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        // If the thread has ended, its result is readable, or the other end is closed.
        return poll(&entry, 1, 0) != 0
    }

    /// Removes the lookups that are over, of those that libcurl no longer waits for.
    ///
    /// - Returns: True if there was one.
    private func removeEnded() -> Bool {
        var entries = numbers.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&entries, nfds_t(entries.count), 0) > 0 else { return false }
        for entry in entries where entry.revents != 0 {
            sockets.unwatch(entry.fd)
            remove(entry.fd)
        }
        return true
    }

    private func remove(_ descriptor: Int32) {
        guard let lookup = numbers.removeValue(forKey: descriptor) else { return }
        ends[lookup] = nil
        abandoned.end(lookup)
    }
}

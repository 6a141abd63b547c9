import CErrandLinux

/// A set of `epoll(7)` events for which a descriptor is watched, or is ready.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The descriptor is readable, or the peer has closed its sending side.
    package static let readable = Readiness(rawValue: clinux_EPOLLIN)
    /// The descriptor is writable.
    package static let writable = Readiness(rawValue: clinux_EPOLLOUT)
    /// The peer has closed its sending side.
    package static let peerClosed = Readiness(rawValue: clinux_EPOLLRDHUP)
    /// Both sides are closed.
    ///
    /// This is always reported.
    package static let hangUp = Readiness(rawValue: clinux_EPOLLHUP)
    /// The descriptor has failed.
    ///
    /// This is always reported.
    package static let failed = Readiness(rawValue: clinux_EPOLLERR)
    /// An option that reports each change once (edge-triggered) instead of as long as it lasts.
    package static let edge = Readiness(rawValue: clinux_EPOLLET)
}

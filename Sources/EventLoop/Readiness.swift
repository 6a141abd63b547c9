import CLinux

/// What a descriptor is watched for, or has become ready for: a set of `epoll(7)` events.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// There is something to read, or the peer ended its side.
    package static let readable = Readiness(rawValue: clinux_EPOLLIN)
    /// There is room to write.
    package static let writable = Readiness(rawValue: clinux_EPOLLOUT)
    /// The peer closed its sending side.
    package static let peerClosed = Readiness(rawValue: clinux_EPOLLRDHUP)
    /// Both sides are closed.
    ///
    /// Always reported, watched for or not.
    package static let hangUp = Readiness(rawValue: clinux_EPOLLHUP)
    /// The descriptor has failed.
    ///
    /// Always reported, watched for or not.
    package static let failed = Readiness(rawValue: clinux_EPOLLERR)
    /// Report each change once (edge-triggered) instead of as long as it lasts.
    package static let edge = Readiness(rawValue: clinux_EPOLLET)
}

import ErrandFiles
import ErrandLogs
import Glibc
import Logging

/// Accepts the connections that wait at the listeners of a server, and pauses while descriptors are exhausted.
///
/// Used on the loop's thread only.
final class Acceptor {
    private let logger: Logger
    /// A closure that is called when the process has no descriptor for another connection, so that it can close some.
    private let onExhaustion: @Sendable () -> Void
    /// The position of the listener that accepts first.
    private var firstListener = 0
    /// The time at which to accept again after descriptors were exhausted.
    private(set) var acceptsAgain: Milliseconds?
    /// True from the time at which descriptors run out until no connection has one of the last.
    private var isShortOfDescriptors = false
    private var warnings = LogThrottle()

    /// The number of idle connections that are closed when descriptors run out.
    private static let closedAtOnce = 8
    private static let exhaustionPause: Milliseconds = 200

    /// Creates an acceptor.
    ///
    /// - Parameter onExhaustion: Called when the process has no descriptor for another connection.
    init(logger: Logger, onExhaustion: @escaping @Sendable () -> Void) {
        self.logger = logger
        self.onExhaustion = onExhaustion
    }

    /// Accepts the connections that wait at the listeners of a loop.
    func accept(for loop: ServerLoop) {
        guard !loop.isDraining else { return }
        let listeners = loop.listeners
        let first = firstListener
        for offset in listeners.indices {
            let position = (first + offset) % listeners.count
            guard listeners[position].isReady else { continue }
            let acceptance = listeners[position].accept(for: loop, isShort: isShortOfDescriptors)
            if case .outOfResources(let errorNumber) = acceptance {
                pause(loop, errorNumber: errorNumber)
                return
            }
            if isShortOfDescriptors { isShortOfDescriptors = Self.holdsLastDescriptor(loop) }
            guard loop.hasRoom else {
                // The next listener is the first to use free room, so that a busy one does not take all of it.
                firstListener = (position + 1) % listeners.count
                return
            }
        }
    }

    /// Accepts again on the listeners of a loop that have room.
    func watchListeners(of loop: ServerLoop) {
        if let time = acceptsAgain {
            guard loop.now >= time else { return }
            acceptsAgain = nil
        }
        guard !loop.isDraining else { return }
        for listener in loop.listeners where !listener.watch(loop.events, hasRoom: loop.hasRoom) {
            // The system has no room for another watch: retry after the pause.
            acceptsAgain = loop.now + Self.exhaustionPause
            logger.error("Cannot watch a listener", metadata: ["errno": .stringConvertible(errno)])
        }
    }

    /// Pauses accepting for a moment, and closes the connections that were idle for the longest time to free
    /// descriptors.
    private func pause(_ loop: ServerLoop, errorNumber: Int32) {
        isShortOfDescriptors = true
        acceptsAgain = loop.now + Self.exhaustionPause
        for listener in loop.listeners {
            listener.pause(loop.events)
        }
        for connection in loop.idleConnections().prefix(Self.closedAtOnce) {
            connection.disconnect()
        }
        onExhaustion()
        guard let occurrences = warnings.occurred(at: .now) else { return }
        logger.warning(
            "Cannot accept connections: out of descriptors or memory: raise the limit of open files (ulimit -n)",
            metadata: [
                "errno": .stringConvertible(errorNumber), "reason": "\(SystemFailure.reason(of: errorNumber))",
                "connections": .stringConvertible(loop.connections.count),
                "occurrences": .stringConvertible(occurrences),
            ])
    }

    /// Returns true if a connection has one of the last descriptors.
    ///
    /// Another connection must not get a second one: the reserve would shrink each time that descriptors run out.
    private static func holdsLastDescriptor(_ loop: ServerLoop) -> Bool {
        loop.connections.keys.max().map { DescriptorReserve.contains($0) } ?? false
    }
}

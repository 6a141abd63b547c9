import ErrandEventLoop
import ErrandFiles
import ErrandHTTPServer
import Glibc
import Logging

// Accepting connections, on the loop's thread.
extension ServerLoop {
    func accept() {
        guard !isDraining else { return }
        for listener in listeners where listener.isReady {
            accepting = listener
            defer { accepting = nil }
            if case .outOfResources(let errorNumber) = listener.accept(isShort: isShortOfDescriptors) {
                outOfDescriptors(errorNumber)
                return
            }
            if isShortOfDescriptors { isShortOfDescriptors = holdsLastDescriptor }
        }
    }

    /// Pauses accepting for a moment, and closes the connections that were idle for the longest time to free
    /// descriptors.
    private func outOfDescriptors(_ errorNumber: Int32) {
        isShortOfDescriptors = true
        acceptsAgain = now + Self.exhaustionPause
        for listener in listeners {
            listener.pause(events)
        }
        for connection in idleConnections().prefix(Self.closedAtOnce) {
            connection.disconnect()
        }
        onExhaustion()
        guard let occurrences = exhaustionWarning.occurred(at: now) else { return }
        logger.warning(
            "Cannot accept connections: out of descriptors or memory: raise the limit of open files (ulimit -n)",
            metadata: [
                "errno": .stringConvertible(errorNumber), "reason": "\(SystemFailure.reason(of: errorNumber))",
                "connections": .stringConvertible(connections.count), "occurrences": .stringConvertible(occurrences),
            ])
    }

    /// True if a connection has one of the last descriptors.
    ///
    /// Another connection must not get a second one: the reserve would shrink each time that descriptors run out.
    private var holdsLastDescriptor: Bool {
        connections.keys.max().map { DescriptorReserve.contains($0) } ?? false
    }

    /// Returns the connections between two requests, the longest idle one first.
    private func idleConnections() -> [ServerConnection] {
        connections.values.filter { $0.isIdle && $0.stream.isBetweenRequests }.sorted {
            $0.clock.since < $1.clock.since
        }
    }

    private static let closedAtOnce = 8
    private static let exhaustionPause: Milliseconds = 200

    /// Accepts again on the listeners that have room.
    func watchListeners() {
        if let time = acceptsAgain {
            guard now >= time else { return }
            acceptsAgain = nil
        }
        guard !isDraining else { return }
        for listener in listeners where !listener.watch(events) {
            // The system has no room for another watch: retry after the pause.
            acceptsAgain = now + Self.exhaustionPause
            logger.error("Cannot watch a listener", metadata: ["errno": .stringConvertible(errno)])
        }
    }
}

import ErrandEventLoop
import ErrandFiles
import ErrandHTTPServer
import Glibc
import Logging

// Accepting connections, on the loop's thread.
extension ServerLoop {
    /// True if the server may have another connection, of any listener.
    var hasRoom: Bool { connections.count < configuration.limits.maxConnections }

    /// Returns true if a client may have another connection, to any listener.
    ///
    /// - Parameter address: The client's address; that of a Unix socket has no limit.
    func hasRoom(for address: sockaddr_storage) -> Bool {
        let text = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ServerConnection.text(of: $0) }
        }
        return connectionsPerAddress.hasRoom(for: text)
    }

    /// Accepts the connections that wait at the listeners.
    func accept() {
        guard !isDraining else { return }
        let first = firstListener
        for offset in listeners.indices {
            let position = (first + offset) % listeners.count
            guard listeners[position].isReady else { continue }
            let acceptance = listeners[position].accept(for: self, isShort: isShortOfDescriptors)
            if case .outOfResources(let errorNumber) = acceptance {
                outOfDescriptors(errorNumber)
                return
            }
            if isShortOfDescriptors { isShortOfDescriptors = holdsLastDescriptor }
            guard hasRoom else {
                // The next listener is the first to use free room, so that a busy one does not take all of it.
                firstListener = (position + 1) % listeners.count
                return
            }
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
        for listener in listeners where !listener.watch(events, hasRoom: hasRoom) {
            // The system has no room for another watch: retry after the pause.
            acceptsAgain = now + Self.exhaustionPause
            logger.error("Cannot watch a listener", metadata: ["errno": .stringConvertible(errno)])
        }
    }
}

import CurlEngine
package import Gateway

extension CurlSession: ConnectionCounting {
    /// The connections of libcurl's pool.
    package var connectionCounts: ConnectionCounts {
        let counts = counts
        return ConnectionCounts(
            open: counts.openConnections, idle: counts.idleConnections, reused: counts.reusedConnections)
    }
}

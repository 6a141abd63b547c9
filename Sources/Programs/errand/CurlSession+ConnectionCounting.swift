import ErrandCurlEngine
package import ErrandGateway

extension CurlSession: ConnectionCounting {
    /// The number of connections in libcurl's pool.
    package var connectionCounts: ConnectionCounts {
        let counts = counts
        return ConnectionCounts(
            open: counts.openConnections, idle: counts.idleConnections, reused: counts.reusedConnections)
    }
}

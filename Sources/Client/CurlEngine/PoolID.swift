/// The number of a connection pool in its engine.
///
/// A session has one pool for its transfers and, once it makes a probe, another for its probes.
struct PoolID: Hashable, Sendable {
    /// Even for transfers, odd for probes.
    let number: Int

    /// Creates the ID of the pool for the transfers of the session with number `session`, counted from 0.
    init(session: Int) {
        number = session * 2
    }

    /// Creates the ID of the pool with this number.
    init(number: Int) {
        self.number = number
    }

    /// The ID of the pool for the probes of the same session.
    var ofProbes: PoolID { PoolID(number: number | 1) }

    /// A Boolean value that indicates whether the pool is for probes.
    var isOfProbes: Bool { number & 1 == 1 }
}

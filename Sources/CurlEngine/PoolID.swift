/// The number of a pool of connections in its engine.
///
/// A session has one for its transfers, and another for its probes once it makes one.
struct PoolID: Hashable, Sendable {
    /// Even for transfers, odd for probes.
    let number: Int

    /// The pool for the transfers of the engine's session number `session`, from 0.
    init(session: Int) {
        number = session * 2
    }

    /// The pool that was given this number.
    init(number: Int) {
        self.number = number
    }

    /// The pool for the probes of the same session.
    var ofProbes: PoolID { PoolID(number: number | 1) }

    /// Whether probes are made in it.
    var isOfProbes: Bool { number & 1 == 1 }
}

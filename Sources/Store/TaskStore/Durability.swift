/// The events that an acknowledged write survives.
package enum Durability: String, Sendable, CaseIterable {
    /// Power loss: a write is on the medium before it is acknowledged.
    case full
    /// A crash of the process: the system has a write before it is acknowledged, and the medium gets it a little later.
    ///
    /// After power loss the latest writes may be missing, but the rest is consistent.
    case normal
}

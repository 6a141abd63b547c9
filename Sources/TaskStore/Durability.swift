/// What an acknowledged write survives.
package enum Durability: String, Sendable, CaseIterable {
    /// A loss of power: it is on the medium before it is acknowledged.
    case full
    /// A crash of the process: the system has it before it is acknowledged, the medium a little later. After a loss of
    /// power the last moments may be missing; what is there is whole.
    case normal
}

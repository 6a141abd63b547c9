import ErrandEgress
import ErrandTransfer

extension SessionConfiguration {
    /// Returns true if the known reachability of another configuration's upstream holds for this one's too.
    ///
    /// That is so if both have the same upstream, connect to it in the same way, and learn of its reachability by the
    /// same probe.
    func sharesReachability(with other: SessionConfiguration) -> Bool {
        baseURL == other.baseURL && connection == other.connection && egress == other.egress
            && reachability.probe == other.reachability.probe
    }
}

import ErrandTransfer

/// The error numbers (errno) of those addresses of a host to which no connection could be made.
///
/// libcurl keeps only the number of the failure that came last, such as that of an IPv6 address on a machine without
/// IPv6, which says nothing about the IPv4 address of the same host. The number that is passed on is one of the peer if
/// there is one; otherwise one with which this machine itself has refused; otherwise that of a missing route.
struct AddressFailures {
    /// The latest number that is about the peer; 0 for an address that had not failed when the next was tried, `nil`
    /// for none.
    private var ofPeer: Int32?
    /// The latest number with which this machine itself has refused; `nil` for none.
    private var ofThisMachine: Int32?

    /// A Boolean value that indicates whether there is no number but those of missing routes.
    var isEmpty: Bool { ofPeer == nil && ofThisMachine == nil }

    /// Adds the number of an address; 0 if it has not failed yet.
    mutating func add(_ number: Int32) {
        if TransferError.isOfThisMachine(number) {
            ofThisMachine = number
        } else if !TransferError.meansNoRoute(number) {
            ofPeer = number
        }
    }

    /// Returns the number that describes the failure of all addresses.
    ///
    /// - Parameter last: The number of the failure that came last; 0 for none.
    func cause(after last: Int32) -> Int32 {
        let isOfThisMachine = TransferError.isOfThisMachine(last)
        if last != 0, !isOfThisMachine, !TransferError.meansNoRoute(last) { return last }
        return ofPeer ?? (isOfThisMachine ? last : ofThisMachine) ?? last
    }
}

import CErrandOpenSSL

/// Collects the faults that OpenSSL finds on one path.
final class FaultRecorder {
    /// The most faults that are kept; a path has at most a dozen certificates.
    private static let limit = 64

    /// The faults in the order of the checks, without duplicates.
    private(set) var faults: [PathFault] = []

    /// Adds a fault unless it is already known.
    func record(_ fault: PathFault) {
        if faults.count < Self.limit, !faults.contains(fault) { faults.append(fault) }
    }

    /// Adds a fault for an error that made OpenSSL stop, possibly without calling the callback.
    ///
    /// It counts as a fault of the chain whatever its code, because the rest of the path was not checked.
    func recordStop(_ code: Int32) {
        let reason = PathFault(code: code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code, depth: 0).reason
        faults.append(PathFault(chainReason: reason, depth: 0))
    }
}

/// Records a fault for OpenSSL (`verify_cb`) and lets the search continue to find the others.
///
/// It tolerates nothing: the policy decides once all faults are known.
func recordFault(_ isFine: Int32, _ context: OpaquePointer?) -> Int32 {
    guard isFine == 0 else { return 1 }
    guard let context, let recorder = X509_STORE_CTX_get_ex_data(context, 0) else { return 0 }
    // The recorder was put there by the search and outlives it.
    Unmanaged<FaultRecorder>.fromOpaque(recorder).takeUnretainedValue().record(
        PathFault(
            code: X509_STORE_CTX_get_error(context), depth: Int(X509_STORE_CTX_get_error_depth(context))))
    return 1
}

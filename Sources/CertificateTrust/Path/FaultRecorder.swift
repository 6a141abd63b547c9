import COpenSSL

/// What OpenSSL finds on one path.
final class FaultRecorder {
    /// The most that are kept; a path has at most a dozen certificates.
    private static let limit = 64

    /// Each once, in the order of the checks.
    private(set) var faults: [PathFault] = []

    /// Takes down one thing.
    func record(_ fault: PathFault) {
        if faults.count < Self.limit, !faults.contains(fault) { faults.append(fault) }
    }

    /// Takes down that OpenSSL has stopped, for a reason that it need not have asked about.
    ///
    /// It is a fault of the chain whatever its number: what was not looked at is not forgiven.
    func recordStop(_ code: Int32) {
        let reason = PathFault(code: code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code, depth: 0).reason
        faults.append(PathFault(chainReason: reason, depth: 0))
    }
}

/// OpenSSL's `verify_cb`: takes down what was found, and has the search go on to find the rest.
///
/// Nothing is forgiven here: the policy decides when everything is known.
func recordFault(_ isFine: Int32, _ context: OpaquePointer?) -> Int32 {
    guard isFine == 0 else { return 1 }
    guard let context, let recorder = X509_STORE_CTX_get_ex_data(context, 0) else { return 0 }
    // The recorder outlives the search, which has put it there.
    Unmanaged<FaultRecorder>.fromOpaque(recorder).takeUnretainedValue().record(
        PathFault(
            code: X509_STORE_CTX_get_error(context), depth: Int(X509_STORE_CTX_get_error_depth(context))))
    return 1
}

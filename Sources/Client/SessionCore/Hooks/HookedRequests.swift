import ErrandTransfer
import HTTPTypes

/// The changes of hooks to the requests of an attempt, as far as they decide if the attempt may be repeated.
struct HookedRequests: Sendable {
    /// The methods that hooks have chosen.
    private(set) var methods: Set<HTTPRequest.Method> = []
    /// True if no hook has changed or removed the `Idempotency-Key` of the prepared request.
    ///
    /// A hook that sets a key may set another one the next time.
    private(set) var keepIdempotencyKey = true
    /// True if hooks have made no request that must not be sent twice.
    private(set) var mayResend = true

    /// Records a request that a hook has changed.
    ///
    /// - Parameters:
    ///   - changed: The request as the hook returned it.
    ///   - request: The request before.
    mutating func record(_ changed: TransferRequest, insteadOf request: TransferRequest) {
        if changed.method != request.method { methods.insert(changed.method) }
        if changed.headers[fields: .idempotencyKey] != request.headers[fields: .idempotencyKey] {
            keepIdempotencyKey = false
        }
        let isRecognized = keepIdempotencyKey && changed.headers.contains(.idempotencyKey)
        let isForbidden = request.mayResend && !changed.mayResend
        if isForbidden || !changed.method.isIdempotent && !isRecognized { mayResend = false }
    }
}

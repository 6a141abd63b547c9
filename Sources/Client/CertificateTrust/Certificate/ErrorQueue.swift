import CErrandOpenSSL

/// OpenSSL's error queue, of which each thread has its own.
enum ErrorQueue {
    /// Calls `body` and restores the queue afterwards.
    ///
    /// Certificates are verified in the middle of a handshake. Errors left in the queue would be attributed to the
    /// connection, or to another one on the same thread (`SSL_get_error(3)`).
    static func preserving<Value>(_ body: () -> Value) -> Value {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return body()
    }

    /// Calls `body` with an empty queue and returns the reasons of the errors it added, oldest first, such as
    /// `unsupported`.
    ///
    /// For files, which are read outside of any connection: the queue is empty afterwards. The reasons are constants of
    /// OpenSSL and contain nothing of the input.
    static func collecting<Value>(_ body: () -> Value) -> (value: Value, reasons: [String]) {
        ERR_clear_error()
        let value = body()
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { return (value, reasons) }
            if let reason = ERR_reason_error_string(code) { reasons.append(String(cString: reason)) }
        }
    }
}

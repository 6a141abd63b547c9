import COpenSSL

/// OpenSSL's queue of errors, of which each thread has one.
enum ErrorQueue {
    /// Runs something and leaves the queue as it was.
    ///
    /// Certificates are judged in the middle of a handshake: what is left in the queue would be taken for the fault of
    /// the connection, or of another one on the same thread (`SSL_get_error(3)`).
    static func preserving<Value>(_ body: () -> Value) -> Value {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return body()
    }

    /// Runs something with an empty queue, and tells what is in it then, the oldest first, such as `unsupported`.
    ///
    /// For files, which are read outside of any connection: the queue is empty afterwards. The reasons are constants of
    /// OpenSSL's; nothing of what was read is in them.
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

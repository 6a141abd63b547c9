import COpenSSL

/// A password as C wants it, bytes that end with a zero, or that there is none; overwritten in the end.
///
/// The string that it was made of is the caller's.
struct Password: ~Copyable {
    /// The longest password in bytes: what OpenSSL has room for (`PEM_BUFSIZE`).
    static let maxBytes = 1023

    private let buffer: UnsafeMutableBufferPointer<CChar>?

    /// Takes a copy.
    init(_ text: String?) throws(CertificateError) {
        guard let bytes = text?.utf8 else {
            buffer = nil
            return
        }
        guard bytes.count <= Self.maxBytes, !bytes.contains(0) else {
            throw CertificateError(.password, "A password has at most \(Self.maxBytes) bytes and no NUL")
        }
        let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count + 1)
        _ = buffer.initialize(from: bytes.lazy.map { CChar(bitPattern: $0) })
        buffer.initializeElement(at: bytes.count, to: 0)
        self.buffer = buffer
    }

    deinit {
        guard let buffer else { return }
        OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        buffer.deallocate()
    }

    /// Whether there is one; it may be empty.
    var isGiven: Bool { buffer != nil }

    /// Lends it for one call; `nil` when there is none.
    func withCString<Value>(_ body: (UnsafePointer<CChar>?) -> Value) -> Value {
        body(UnsafePointer(buffer?.baseAddress))
    }
}

/// OpenSSL's question for a password, and its answer.
struct PasswordQuestion {
    /// The password; `nil` when there is none.
    let answer: UnsafePointer<CChar>?
    /// Whether it was asked for.
    var isAsked = false
}

/// OpenSSL's `pem_password_cb`: without one OpenSSL would ask at the terminal.
func answerPassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int32, _ isForWriting: Int32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer, let question = context?.assumingMemoryBound(to: PasswordQuestion.self) else { return -1 }
    question.pointee.isAsked = true
    guard let answer = question.pointee.answer else { return -1 }
    var count = 0
    while answer[count] != 0 { count += 1 }
    guard count <= Int(capacity) else { return -1 }
    buffer.update(from: answer, count: count)
    return Int32(count)
}

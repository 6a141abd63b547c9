import CErrandOpenSSL

/// An optional password as a zero-terminated C string, overwritten when it is deallocated.
///
/// The caller is responsible for the string it was created from.
struct Password: ~Copyable {
    /// The most bytes of a password, limited by OpenSSL's buffer (`PEM_BUFSIZE`).
    static let maxBytes = 1023

    private let buffer: UnsafeMutableBufferPointer<CChar>?

    /// Copies the password.
    init(_ text: String?) throws(CertificateError) {
        guard let bytes = text?.utf8 else {
            buffer = nil
            return
        }
        guard bytes.count <= Self.maxBytes, !bytes.contains(0) else {
            throw CertificateError(.password, "The password is longer than \(Self.maxBytes) bytes or contains a NUL")
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

    /// A Boolean value that indicates whether there is a password; it may be empty.
    var isGiven: Bool { buffer != nil }

    /// Passes the password to `body`; `nil` if there is none.
    func withCString<Value>(_ body: (UnsafePointer<CChar>?) -> Value) -> Value {
        body(UnsafePointer(buffer?.baseAddress))
    }
}

/// The context of ``answerPassword``: the password to answer with, and whether OpenSSL asked for it.
struct PasswordQuestion {
    /// The password; `nil` if there is none.
    let answer: UnsafePointer<CChar>?
    /// A Boolean value that indicates whether OpenSSL asked for the password.
    var isAsked = false
}

/// Answers OpenSSL's request for a password (`pem_password_cb`); without a callback OpenSSL would ask at the terminal.
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

import CErrandMicroHTTPD
import ErrandHTTPServer
import HTTPTypes

/// A collector of the header fields of a request from libmicrohttpd.
struct HeadCollector {
    private(set) var validator = HeadValidator()

    /// Returns the fields of a request whose head has been received.
    static func collect(from connection: OpaquePointer) -> HeadValidator {
        var collector = HeadCollector()
        withUnsafeMutablePointer(to: &collector) { pointer in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, collectField, pointer)
        }
        return collector.validator
    }

    mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        validator.add(name: String(decoding: name, as: UTF8.self), value: Self.text(value))
    }

    /// Decodes UTF-8, or else ISO 8859-1, in which every byte is a character (RFC 9110 §5.5 leaves it open).
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

/// The methods that the server accepts: those of RFC 9110 §9.3 except CONNECT, and PATCH (RFC 5789).
enum KnownMethods {
    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .options, .patch, .trace,
    ]

    /// Returns true if the method is accepted; other methods get a 501.
    static func contains(_ method: HTTPRequest.Method) -> Bool {
        methods.contains(method)
    }
}

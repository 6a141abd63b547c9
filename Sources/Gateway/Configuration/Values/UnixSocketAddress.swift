import ErrandSettings
import ErrandYAML

/// A socket in the file system (unix(7)), with its permissions.
package struct UnixSocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The path: 1 to 107 bytes (`sun_path`, with its NUL).
    package var path: String
    /// The permissions of the socket, `0` to `0o777`.
    ///
    /// Users who may write to it may connect.
    package var mode: UInt16

    /// Creates an address.
    ///
    /// By default its owner and group may connect.
    package init(path: String, mode: UInt16 = 0o660) {
        self.path = path
        self.mode = mode
    }

    /// The most bytes of a path.
    static let maxPathBytes = 107

    /// `unix:/run/errand.sock`.
    package var description: String { "unix:\(path)" }
}

extension UnixSocketAddress {
    static let settings = SettingGroup(
        UnixSocketAddress(path: ""),
        [
            Setting(
                "unix", \.path, .socketPath, isRequired: true,
                """
                The path of the socket, at most \(maxPathBytes) bytes, in an existing directory. An existing socket \
                without a listening process is replaced.
                """),
            Setting(
                "mode", \.mode, .fileMode,
                "The permissions of the socket in octal. Users who may write to it may connect."),
        ])
}

extension SettingType where Value == String {
    /// The type of the path of a Unix socket.
    fileprivate static var socketPath: SettingType {
        text("path of a socket") { path in
            if path.utf8.contains(0) { return "expected a path without NUL" }
            if path.hasSuffix("/") { return "expected the path of a socket, found a directory" }
            return path.utf8.count <= UnixSocketAddress.maxPathBytes
                ? nil : "expected a path of at most \(UnixSocketAddress.maxPathBytes) bytes"
        }.usable(as: .socket)
    }
}

extension SettingType where Value == UInt16 {
    /// The type of permissions as chmod(1) accepts them: three octal digits, optionally after a zero.
    fileprivate static var fileMode: SettingType {
        .scalar(
            ScalarShape(
                label: "permissions in octal", expectation: "permissions in octal such as \"0660\"",
                constraint: .pattern("^0?[0-7]{3}$", orInteger: true)),
            parse: { text throws(ScalarRefusal) in
                let digits = text.utf8.count == 4 && text.hasPrefix("0") ? text.dropFirst() : Substring(text)
                guard digits.utf8.count == 3, digits.first != "+", let mode = UInt16(digits, radix: 8) else {
                    throw .unexpected
                }
                return mode
            },
            format: { mode in
                let digits = String(mode, radix: 8)
                return .quoted(String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
            })
    }
}

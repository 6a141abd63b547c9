/// A file as it was when the configuration was read.
///
/// The contents are part of the value, so that a reload detects a replaced file.
package struct FileContent: Sendable, Hashable {
    /// The path as the configuration has it.
    package let path: String
    /// The contents, which may be a secret and are not part of any description.
    package let bytes: [UInt8]

    /// The most bytes of a file that the configuration refers to.
    static let maxBytes = 1 << 20

    /// Creates a value from its parts.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}

extension FileContent: CustomStringConvertible, CustomReflectable {
    /// The path.
    package var description: String { path }

    /// The path alone.
    package var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}

extension SettingType where Value == FileContent {
    /// The type of a path whose file is read together with the configuration.
    ///
    /// A relative path is relative to the working directory.
    package static var file: SettingType {
        SettingType<String>.filePath.transformed(
            { path, reader in reader.contents(of: path).map { FileContent(path: path, bytes: $0) } },
            { $0.path })
    }
}

package import ErrandDownloads

/// The path of a downloaded file below the folder of downloads.
package struct DestinationPath: Sendable, Hashable, CustomStringConvertible {
    /// The names of the folders and, last, of the file.
    package let names: [FileName]

    /// Creates a path from its names.
    init(_ names: [FileName]) {
        self.names = names
    }

    /// The names with slashes between them.
    package var description: String { names.map(\.text).joined(separator: "/") }
}

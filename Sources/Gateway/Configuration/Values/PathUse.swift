/// The use of a path that a setting names.
package enum PathUse: Sendable, Hashable {
    /// A directory that the gateway reads, and that may be missing.
    case directory
    /// A directory that the gateway writes to, and creates if it is missing.
    case writableDirectory
    /// A file that the gateway writes, in a directory that it creates if it is missing.
    case writableFile
    /// A Unix socket that the gateway creates, in an existing directory.
    case socket
}

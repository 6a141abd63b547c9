/// The use of a path that a setting names.
package enum PathUse: Sendable, Hashable {
    /// A directory that the program reads, and that may be missing.
    case directory
    /// A directory that the program writes to, and creates if it is missing.
    case writableDirectory
    /// A file that the program writes, in a directory that it creates if it is missing.
    case writableFile
    /// A Unix socket that the program creates, in an existing directory.
    case socket
}

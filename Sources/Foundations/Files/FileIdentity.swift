package import Glibc

/// The identity of a file, independent of its name.
package struct FileIdentity: Sendable, Equatable {
    private let device: dev_t
    private let node: ino_t

    package init(_ status: stat) {
        device = status.st_dev
        node = status.st_ino
    }
}

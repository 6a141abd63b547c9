import ErrandFiles

/// An open file of content that readers follow while it is written.
final class SharedFile: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}

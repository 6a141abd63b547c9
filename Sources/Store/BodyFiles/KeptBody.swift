package import ErrandFiles
import ErrandLocking

/// The place of the incomplete file of a body that is kept when its spool ends, so that another spool continues it.
package protocol KeptBodyPlace: AnyObject, Sendable {
    /// Prepares the place for an empty file; called on a thread that may block.
    ///
    /// - Returns: The path of the incomplete file, on the file system of the bodies, valid as long as this object lives.
    func prepare() throws(SystemFailure) -> String
}

/// The incomplete file of a body between two spools.
///
/// One that is neither continued nor kept removes its file when it is deinitialized.
package final class KeptBody: Sendable {
    /// The number of bytes in the file.
    package let size: Int64
    private let file: Mutex<PartFile?>

    init(_ file: consuming PartFile, size: Int64) {
        self.size = size
        self.file = Mutex(file)
    }

    /// Takes the file, to continue it.
    func take() -> PartFile? { file.withLock { $0.take() } }

    /// Removes the file; blocks.
    package func remove() { file.withLock { $0 = nil } }

    /// Leaves the file for another process, and waits until its bytes are on the medium; blocks.
    ///
    /// - Throws: The bytes may be lost; the file was removed.
    package func keep() throws(SystemFailure) {
        try file.withLock { (file) throws(SystemFailure) in
            guard let kept = file.take() else { return }
            try kept.keep()
        }
    }
}

import ErrandFiles
import ErrandText
import Glibc

/// The current run of the operating system.
enum SystemBoot {
    /// The kernel's identifier of this run of the system; `nil` if it cannot be read.
    static let current: String? = {
        guard let file = try? FileDescriptor("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let bytes = try? file.read(64, at: 0)
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }()
}

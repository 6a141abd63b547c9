// Paths are divided by bytes, as the system does it: a slash before a combining mark is a part of a `Character` that is no
// slash.
extension String {
    /// True if this path begins at the root.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// Returns the names in this path, which its slashes separate.
    ///
    /// - Parameter keepingEmpty: True to return an empty name before, between and behind slashes that have none there.
    package func pathNames(keepingEmpty: Bool = false) -> [String] {
        unicodeScalars.split(separator: "/", omittingEmptySubsequences: !keepingEmpty).map { String($0) }
    }

    /// The folder that contains the file of this path: the part before the last `/`, or `.` without any.
    package var parentFolder: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// This path without `.`, `..` and repeated slashes, by its text alone: links are not followed.
    ///
    /// A relative path keeps the `..` at its start; the current folder is `.`.
    package var normalizedPath: String { NormalPath(self).text }

    /// Returns this path from the folder in which a relative one begins; an absolute path is unchanged.
    ///
    /// - Parameter folder: The folder; `nil` if it is not known, which leaves a relative path as it is.
    package func path(from folder: String?) -> String {
        guard let folder, !isAbsolutePath else { return self }
        return "\(folder)/\(self)"
    }

    /// Returns true if this path is a folder or below it, by the text of both.
    ///
    /// A relative path is never below an absolute one, as the current folder is not known: see ``path(from:)``.
    package func isPath(within folder: String) -> Bool {
        NormalPath(self).isWithin(NormalPath(folder))
    }
}

/// The parts of a path, compared as the system does: names that look alike may differ.
private struct NormalPath {
    private let isAbsolute: Bool
    /// The number of folders above the current one at which a relative path begins.
    private var ascents = 0
    private var names: [ExactText] = []

    init(_ path: String) {
        isAbsolute = path.isAbsolutePath
        for name in path.pathNames() where name != "." {
            if name != ".." {
                names.append(ExactText(name))
            } else if names.popLast() == nil, !isAbsolute {
                ascents += 1
            }
        }
    }

    var text: String {
        let relative = (Array(repeating: "..", count: ascents) + names.map(\.text)).joined(separator: "/")
        return isAbsolute ? "/\(relative)" : relative.isEmpty ? "." : relative
    }

    func isWithin(_ folder: NormalPath) -> Bool {
        guard isAbsolute == folder.isAbsolute else { return false }
        // A folder above contains every path that ascends less.
        if ascents < folder.ascents { return folder.names.isEmpty }
        return ascents == folder.ascents && names.starts(with: folder.names)
    }
}

extension String {
    /// The folder that contains the file of this path: the part before the last `/`, or `.` without any.
    package var parentFolder: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// This path without `.`, `..` and repeated slashes, by its text alone: links are not followed.
    ///
    /// A relative path keeps the `..` at its start; the current folder is `.`.
    package var normalizedPath: String {
        let isAbsolute = hasPrefix("/")
        var names: [Substring] = []
        for name in split(separator: "/") where name != "." {
            if name != ".." {
                names.append(name)
            } else if let last = names.last, last != ".." {
                names.removeLast()
            } else if !isAbsolute {
                names.append(name)
            }
        }
        let joined = names.joined(separator: "/")
        return isAbsolute ? "/" + joined : joined.isEmpty ? "." : joined
    }

    /// Returns true if this path is a folder or below it, by the text of both.
    ///
    /// A relative path is never below an absolute one, as the current folder is not known.
    package func isPath(within folder: String) -> Bool {
        let (path, folder) = (normalizedPath, folder.normalizedPath)
        switch folder {
        case path: return true
        case "/": return path.hasPrefix("/")
        case ".": return !path.hasPrefix("/") && path != ".." && !path.hasPrefix("../")
        case _ where folder == ".." || folder.hasSuffix("/.."):
            // Only a relative path keeps `..`: the folder has every path with fewer of them.
            return !path.hasPrefix("/") && !path.hasPrefix(folder + "/..") && path != folder + "/.."
        default: return path.hasPrefix(folder + "/")
        }
    }
}

/// The name of a file or a folder: one component of a path.
///
/// It leads to no other folder, is readable in a list, and stays the same on the common file systems of other systems.
package struct FileName: Sendable, Hashable {
    /// The name, 1 to ``maxBytes`` bytes.
    package let text: String

    /// The longest name of the common file systems, in bytes of UTF-8.
    package static let maxBytes = 255

    /// Creates a name from a text that is allowed as it is.
    package init(_ text: String) throws(FileNameProblem) {
        if let problem = FileNameProblem(of: text) { throw problem }
        self.text = text
    }

    /// Creates a name from a text of another system, such as a server.
    ///
    /// Slashes and backslashes separate folders, of which none is used. Control characters, and dots and spaces at
    /// both ends, are removed. A reserved name gets an underscore in front. A long name is shortened before its
    /// extension.
    ///
    /// - Parameter maxBytes: The maximum length in bytes of UTF-8, at most ``FileName/maxBytes``.
    /// - Returns: `nil` if nothing is left.
    package init?(suggestedBy text: String, maxBytes: Int = FileName.maxBytes) {
        var scalars = Array(text.unicodeScalars)
        if let slash = scalars.lastIndex(where: { $0 == "/" || $0 == "\\" }) { scalars.removeFirst(slash + 1) }
        scalars.removeAll { !FileNameProblem.isPrintable($0) }
        scalars.removeFirst(scalars.prefix(while: Self.isTrimmed).count)
        Self.trimEnd(of: &scalars)
        if FileNameProblem(of: Self.text(scalars)) == .reserved { scalars.insert("_", at: 0) }
        scalars = Self.shortened(scalars, to: min(maxBytes, Self.maxBytes))
        Self.trimEnd(of: &scalars)
        // A name can be reserved after it was shortened.
        guard let name = try? FileName(Self.text(scalars)) else { return nil }
        self = name
    }

    /// Returns true for characters that are removed at the ends of a suggested name.
    ///
    /// A file with a dot in front is hidden. Some systems drop dots and spaces at the end.
    private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar.properties.isWhitespace
    }

    private static func trimEnd(of scalars: inout [Unicode.Scalar]) {
        while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
    }

    /// The longest extension, in bytes with its dot; a longer ending is a part of the name like any other.
    static let maxExtensionBytes = 16

    private static func shortened(_ scalars: [Unicode.Scalar], to maxBytes: Int) -> [Unicode.Scalar] {
        guard byteCount(of: scalars[...]) > maxBytes else { return scalars }
        var suffix: ArraySlice<Unicode.Scalar> = []
        if let dot = scalars.lastIndex(of: ".") { suffix = scalars[dot...] }
        let suffixBytes = byteCount(of: suffix)
        if suffixBytes <= maxExtensionBytes {
            let stem = prefix(of: scalars.dropLast(suffix.count), maxBytes: maxBytes - suffixBytes)
            // An extension alone would be the name of a hidden file.
            if !stem.isEmpty { return stem + suffix }
        }
        return prefix(of: scalars[...], maxBytes: maxBytes)
    }

    /// Returns the scalars that fit into a number of bytes, from the first on.
    static func prefix(of scalars: ArraySlice<Unicode.Scalar>, maxBytes: Int) -> [Unicode.Scalar] {
        var room = maxBytes
        var prefix: [Unicode.Scalar] = []
        for scalar in scalars {
            room -= scalar.utf8.count
            guard room >= 0 else { break }
            prefix.append(scalar)
        }
        return prefix
    }

    private static func byteCount(of scalars: ArraySlice<Unicode.Scalar>) -> Int {
        scalars.reduce(0) { $0 + $1.utf8.count }
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}

extension FileName: CustomStringConvertible {
    /// The name.
    package var description: String { text }
}

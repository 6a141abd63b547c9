extension String {
    /// The folder that contains the file of this path: the part before the last `/`, or `.` without any.
    package var parentFolder: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}

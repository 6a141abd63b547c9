/// The error of a file that does not exist.
package struct MissingFile: Error, CustomStringConvertible {
    /// Creates the error.
    package init() {}

    package var description: String { "No such file or directory" }
}

/// The reason for which bytes are not a `multipart/form-data` body.
package struct MultipartFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes before the fault.
    package let offset: Int64
    /// The fault, without values of the body other than names of parts.
    package let detail: String

    /// Creates a fault.
    package init(at offset: Int64, _ detail: String) {
        self.offset = offset
        self.detail = detail
    }

    /// The fault with its place.
    package var description: String { "byte \(offset): \(detail)" }
}

/// A value that never changes, behind one reference, which all copies of its owner share.
///
/// An owner with many members costs one reference to copy instead of all of them. A function that suspends keeps its
/// copies in a frame that is allocated: several values of hundreds of bytes make frames of kilobytes.
///
/// It is usable from inline: of other package types the compiler inlines no member into another module.
@usableFromInline
package final class Shared<Value: Sendable>: Sendable {
    /// The value.
    @usableFromInline package let value: Value

    /// Creates a reference to a value.
    @inlinable
    package init(_ value: Value) {
        self.value = value
    }
}

/// The limits of a YAML text, so that no file can exhaust memory or time.
package struct YAMLLimits: Sendable, Hashable {
    /// The largest text, in bytes.
    package var maxBytes = 4 << 20
    /// The deepest nesting of mappings and sequences.
    package var maxDepth = 64
    /// The most nodes, keys included, with aliases expanded.
    package var maxNodes = 100_000
    /// The largest scalar, in bytes of UTF-8.
    package var maxScalarBytes = 1 << 20
    /// The most bytes of all scalars together in UTF-8, keys included, with aliases expanded.
    ///
    /// A tree shares the nodes of aliases, but values made from it do not.
    package var maxTotalScalarBytes = 8 << 20

    /// Creates the default limits: 4 MiB, 64 deep, 100,000 nodes, scalars of 1 MiB each and 8 MiB together.
    package init() {}
}

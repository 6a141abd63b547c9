/// How much a YAML text may ask for, so that no file can exhaust memory or time.
package struct YAMLLimits: Sendable, Hashable {
    /// The size of the text in bytes.
    package var maxBytes = 4 << 20
    /// The number of mappings and sequences inside each other.
    package var maxDepth = 64
    /// The number of nodes, keys included, once each alias is replaced by what it stands for.
    package var maxNodes = 100_000
    /// The size of one scalar in bytes of UTF-8.
    package var maxScalarBytes = 1 << 20

    /// Creates the default limits: 4 MiB, 64 deep, 100,000 nodes, scalars of 1 MiB.
    package init() {}
}

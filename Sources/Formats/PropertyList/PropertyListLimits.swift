public import ErrandXML

/// The limits of a property list parser.
public struct PropertyListLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and dictionaries.
    public private(set) var maxDepth: Int
    /// The most values and keys.
    ///
    /// In the XML format, every element, attribute and text counts, including whitespace between elements.
    public private(set) var maxNodes: Int
    /// The most bytes of all texts and data together.
    ///
    /// A binary property list stores equal values once: here, as in the output, each occurrence counts.
    public private(set) var maxContentBytes: Int

    /// The largest value of ``maxDepth``; in XML there is one element around the value and one in the innermost array.
    public static let greatestDepth = XMLLimits.greatestDepth - 2

    /// Creates limits; negative values become 0.
    ///
    /// - Parameters:
    ///   - maxDepth: The deepest nesting of arrays and dictionaries, at most ``greatestDepth``.
    ///   - maxNodes: The most values and keys.
    ///   - maxContentBytes: The most bytes of all texts and data; 64 MiB by default.
    public init(maxDepth: Int = 512, maxNodes: Int = 1_000_000, maxContentBytes: Int = 64 << 20) {
        self.maxDepth = min(max(maxDepth, 0), Self.greatestDepth)
        self.maxNodes = max(maxNodes, 0)
        self.maxContentBytes = max(maxContentBytes, 0)
    }

    /// The corresponding limits of the XML format.
    public var xml: XMLLimits {
        XMLLimits(maxDepth: maxDepth + 2, maxNodes: maxNodes, maxTextBytes: maxContentBytes)
    }
}

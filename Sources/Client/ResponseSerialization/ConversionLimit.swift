import ErrandJSON
import ErrandPropertyList
import ErrandXML

/// The largest result of converting XML or a property list to JSON, in proportion to the content.
///
/// A namespace applies to all elements below its declaration, a binary property list can refer to a value any number of
/// times, and JSON has six bytes for a control character. Without a limit, some hundred bytes could become hundreds of
/// megabytes. Documents in use hardly become ten times as large.
package struct ConversionLimit: Sendable, Hashable {
    /// The size in bytes that the JSON of all content may reach.
    static let floor = 1 << 20
    /// The factor by which content may grow.
    static let growth = 16
    /// The size in bytes that no JSON may exceed.
    static let ceiling = 64 << 20
    /// The number of values and keys that all property lists may have.
    private static let leastNodes = 16_384

    /// The number of bytes of the content.
    private let contentBytes: Int
    /// The most bytes of the JSON, and of all names and texts of the tree from which it is written.
    package let maxBytes: Int

    /// Creates the limit for content of a size.
    package init(contentBytes: Int) {
        self.contentBytes = contentBytes
        maxBytes = min(max(Self.floor, min(contentBytes, Self.ceiling) * Self.growth), Self.ceiling)
    }

    /// The limits of the parser of XML.
    var xml: XMLLimits { XMLLimits(maxTextBytes: maxBytes) }

    /// The limits of the parser of property lists.
    ///
    /// A binary one has at least a byte for each value and key, unless it refers to an array or a dictionary more than
    /// once, as no usual program writes it.
    var propertyList: PropertyListLimits {
        let maxNodes = min(max(Self.leastNodes, contentBytes), PropertyListLimits().maxNodes)
        return PropertyListLimits(maxNodes: maxNodes, maxContentBytes: maxBytes)
    }

    /// Throws if the JSON has more bytes than the limit.
    func check(_ bytes: Int) throws(ResponseSerializationError) {
        guard bytes <= maxBytes else { throw error }
    }

    /// Throws if the JSON has more bytes than the limit once a string is added.
    ///
    /// The string is measured as it is escaped, without being written.
    func check(_ bytes: Int, adding text: String) throws(ResponseSerializationError) {
        // The first condition keeps the subtraction from overflowing.
        guard bytes <= maxBytes, JSONWriter.byteCount(ofString: text) <= maxBytes - bytes else { throw error }
    }

    /// The error of content whose JSON has more bytes than the limit.
    var error: ResponseSerializationError {
        ResponseSerializationError(
            """
            The content cannot be converted to JSON, which would have more than \(maxBytes) bytes, the limit for \
            \(contentBytes) bytes of content
            """)
    }
}

public import ErrandXML

/// A property list.
///
/// The values are parsed as follows; anything else is an error.
///
/// | | XML | binary | value |
/// | --- | --- | --- | --- |
/// | text | `string` | ASCII, UTF-16 | ``PropertyListValue/string(_:)`` |
/// | integer | decimal or `0x…`, within 128 bits | 1, 2, 4, 8 or 16 bytes | ``PropertyListValue/integer(_:)`` |
/// | real | as C reads it, `nan` and `inf` included | 4 or 8 bytes | ``PropertyListValue/real(_:)`` |
/// | date | `2026-11-21T07:40:00Z` | seconds since 2001 | ``PropertyListValue/date(_:)`` |
/// | data | Base64, white space ignored | bytes | ``PropertyListValue/data(_:)`` |
/// | array, dictionary | `array`, `dict` | references | in order |
/// | UID of a keyed archive | a `dict` with the key `CF$UID` | 1 to 8 bytes | that dictionary, for both |
public struct PropertyListDocument: Sendable, Hashable {
    /// The top-level value, of any type.
    public var root: PropertyListValue
    /// The format in which it was parsed.
    public var format: PropertyListFormat

    /// Parses a property list in either format.
    ///
    /// - Parameters:
    ///   - bytes: The complete property list.
    ///   - limits: The limits of its size.
    ///   - encoding: The charset of the Content-Type, see `XMLDocument.parse`; ignored for the binary format.
    public static func parse(
        _ bytes: [UInt8], limits: PropertyListLimits = PropertyListLimits(), encoding: String? = nil
    ) throws(PropertyListError) -> PropertyListDocument {
        switch PropertyListFormat(of: bytes) {
        case .binary:
            var reader = try BinaryPropertyListReader(bytes, limits: limits)
            return PropertyListDocument(root: try reader.read(), format: .binary)
        case .xml:
            return try parse(xml(bytes, limits: limits, encoding: encoding), limits: limits)
        }
    }

    /// Parses a property list from XML.
    ///
    /// - Parameters:
    ///   - document: A document whose root element is `plist`.
    ///   - limits: The limits of its size, of which only the depth is checked again.
    public static func parse(
        _ document: XMLDocument, limits: PropertyListLimits = PropertyListLimits()
    ) throws(PropertyListError) -> PropertyListDocument {
        var reader = XMLPropertyListReader(limits: limits)
        return PropertyListDocument(root: try reader.read(document), format: .xml)
    }

    private static func xml(
        _ bytes: [UInt8], limits: PropertyListLimits, encoding: String?
    ) throws(PropertyListError) -> XMLDocument {
        do throws(XMLError) {
            return try XMLDocument.parse(bytes, limits: limits.xml, encoding: encoding)
        } catch {
            throw PropertyListError(error)
        }
    }
}

/// The supported formats of property lists.
public enum PropertyListFormat: String, Sendable, Hashable, CaseIterable {
    /// XML, version 1.0.
    case xml
    /// Binary, version 00.
    case binary

    /// Detects the format by the first bytes: a file without the binary signature can only be XML.
    public init(of bytes: [UInt8]) {
        self = bytes.starts(with: Self.binarySignature) ? .binary : .xml
    }

    /// The start of every binary property list; a version of two digits follows.
    static let binarySignature = Array("bplist".utf8)
}

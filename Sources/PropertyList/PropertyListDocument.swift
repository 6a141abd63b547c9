public import XML

/// A property list.
///
/// What stands in one is read as follows; anything else is an error.
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
    /// The value at the top, of any kind.
    public var root: PropertyListValue
    /// The format that it was read in.
    public var format: PropertyListFormat

    /// Reads a property list in the format that it is in.
    ///
    /// - Parameters:
    ///   - bytes: The whole of it.
    ///   - limits: How large it may be.
    ///   - encoding: The charset of the Content-Type, see `XMLDocument.parse`; without meaning for the binary format.
    public static func parse(
        _ bytes: [UInt8], limits: PropertyListLimits = PropertyListLimits(), encoding: String? = nil
    ) throws(PropertyListError) -> PropertyListDocument {
        switch PropertyListFormat(of: bytes) {
        case .binary:
            var reader = try BinaryPropertyListReader(bytes, limits: limits)
            return PropertyListDocument(root: try reader.read(), format: .binary)
        case .xml:
            return try parse(xml(bytes, limits, encoding), limits: limits)
        }
    }

    /// Reads a property list from XML.
    ///
    /// - Parameters:
    ///   - document: A document whose outermost element is `plist`.
    ///   - limits: How large it may be; of these, only the depth is checked again.
    public static func parse(
        _ document: XMLDocument, limits: PropertyListLimits = PropertyListLimits()
    ) throws(PropertyListError) -> PropertyListDocument {
        var reader = XMLPropertyListReader(limits: limits)
        return PropertyListDocument(root: try reader.read(document), format: .xml)
    }

    private static func xml(
        _ bytes: [UInt8], _ limits: PropertyListLimits, _ encoding: String?
    ) throws(PropertyListError) -> XMLDocument {
        do throws(XMLError) {
            return try XMLDocument.parse(bytes, limits: limits.xml, encoding: encoding)
        } catch {
            throw PropertyListError(error)
        }
    }
}

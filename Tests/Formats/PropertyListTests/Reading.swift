import ErrandPropertyList

/// Returns the JSON of a valid property list.
func json(_ bytes: [UInt8], _ limits: PropertyListLimits = PropertyListLimits()) throws(PropertyListError) -> String {
    String(decoding: PropertyListJSON.write(try PropertyListDocument.parse(bytes, limits: limits).root), as: UTF8.self)
}

/// Returns the value of an XML property list with this content of `plist`.
func xmlValue(
    _ content: String, _ limits: PropertyListLimits = PropertyListLimits()
) throws(PropertyListError) -> PropertyListValue {
    try PropertyListDocument.parse(Array("<plist version='1.0'>\(content)</plist>".utf8), limits: limits).root
}

/// Returns the error of a property list, or `nil` if it is accepted.
func refusal(_ bytes: [UInt8], _ limits: PropertyListLimits = PropertyListLimits()) -> PropertyListError? {
    do throws(PropertyListError) {
        _ = try PropertyListDocument.parse(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// Returns the error of an XML property list with this content of `plist`, or `nil` if it is accepted.
func refusal(_ content: String, _ limits: PropertyListLimits = PropertyListLimits()) -> PropertyListError? {
    refusal(Array("<plist version='1.0'>\(content)</plist>".utf8), limits)
}

/// A binary property list of given objects; offsets have 4 bytes, references 1.
struct BinaryFile {
    var objects: [[UInt8]]
    var top: UInt64 = 0
    var referenceWidth: UInt8 = 1
    var offsetWidth: UInt8 = 4
    /// The wrong number of objects for the trailer, if any.
    var objectCount: UInt64?
    var tableOffset: UInt64?

    init(_ objects: [UInt8]...) { self.objects = objects }

    init(objects: [[UInt8]]) { self.objects = objects }

    var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for object in objects {
            table += Self.bigEndian(UInt64(bytes.count), 4)
            bytes += object
        }
        let tableOffset = self.tableOffset ?? UInt64(bytes.count)
        bytes += table + [0, 0, 0, 0, 0, 0, offsetWidth, referenceWidth]
        bytes += Self.bigEndian(objectCount ?? UInt64(objects.count), 8)
        return bytes + Self.bigEndian(top, 8) + Self.bigEndian(tableOffset, 8)
    }

    /// Returns the last bytes of a number.
    static func bigEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

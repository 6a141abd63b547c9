/// The trailer of a binary property list, which locates its parts; validated against the length of the file.
struct BinaryPropertyListTrailer {
    /// The size of an offset in the table, in bytes: 1 to 8.
    let offsetWidth: Int
    /// The size of a reference from one object to another, in bytes: 1 to 8.
    let referenceWidth: Int
    /// The number of objects: at least 1, and at most as many as the table has room for.
    let objectCount: Int
    /// The number of the top-level object.
    let topObject: Int
    /// The offset of the table of offsets, which is the end of the objects.
    let tableOffset: Int

    /// The length of the header: signature and version.
    static let headerByteCount = 8
    /// The length of the trailer.
    static let byteCount = 32

    /// Parses the header and the trailer.
    init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.prefix(Self.headerByteCount) == PropertyListFormat.binarySignature + [0x30, 0x30] else {
            throw PropertyListError("unknown version of the binary property list; expected 00", at: .byte(0))
        }
        let start = bytes.count - Self.byteCount
        guard start > Self.headerByteCount, let sizes = bytes.bigEndian(at: start + 6, count: 2),
            let objectCount = bytes.integer(at: start + 8), let topObject = bytes.integer(at: start + 16),
            let tableOffset = bytes.integer(at: start + 24)
        else { throw PropertyListError("the binary property list is truncated", at: .byte(bytes.count)) }
        let (offsetWidth, referenceWidth) = (Int(sizes >> 8), Int(sizes & 0xFF))
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
            (Self.headerByteCount + 1...start).contains(tableOffset),
            objectCount <= (start - tableOffset) / offsetWidth, topObject < objectCount
        else { throw PropertyListError("the trailer contradicts the file", at: .byte(start)) }
        self.offsetWidth = offsetWidth
        self.referenceWidth = referenceWidth
        self.objectCount = objectCount
        self.topObject = topObject
        self.tableOffset = tableOffset
    }
}

extension [UInt8] {
    /// Returns the unsigned big-endian number of up to 8 bytes at an offset, or `nil` beyond the end.
    func bigEndian(at place: Int, count: Int) -> UInt64? {
        guard place >= 0, place <= self.count - count else { return nil }
        return self[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns a number of 8 bytes, or `nil` if it exceeds the range of `Int`.
    fileprivate func integer(at place: Int) -> Int? {
        bigEndian(at: place, count: 8).flatMap { Int(exactly: $0) }
    }
}

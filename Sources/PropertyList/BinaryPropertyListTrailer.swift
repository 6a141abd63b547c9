/// The last bytes of a binary property list, which say where everything is; checked against the file's length.
struct BinaryPropertyListTrailer {
    /// How many bytes an offset in the table has: 1 to 8.
    let offsetWidth: Int
    /// How many bytes a reference from one object to another has: 1 to 8.
    let referenceWidth: Int
    /// How many objects there are: 1 at least, and no more than the table has room for.
    let objectCount: Int
    /// The number of the object at the top.
    let topObject: Int
    /// Where the table of offsets begins, and the objects end.
    let tableOffset: Int

    /// The length of the header: signature and version.
    static let headerByteCount = 8
    /// The length of the trailer.
    static let byteCount = 32

    /// Reads header and trailer.
    init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.prefix(Self.headerByteCount) == PropertyListFormat.binarySignature + [0x30, 0x30] else {
            throw PropertyListError("a binary property list of an unknown version", at: .byte(0))
        }
        let start = bytes.count - Self.byteCount
        guard start > Self.headerByteCount, let sizes = bytes.bigEndian(at: start + 6, count: 2),
            let objectCount = bytes.integer(at: start + 8), let topObject = bytes.integer(at: start + 16),
            let tableOffset = bytes.integer(at: start + 24)
        else { throw PropertyListError("the binary property list is cut off", at: .byte(bytes.count)) }
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
    /// The unsigned number of up to 8 bytes at a place, most significant byte first; `nil` beyond the end.
    func bigEndian(at place: Int, count: Int) -> UInt64? {
        guard place >= 0, place <= self.count - count else { return nil }
        return self[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number of 8 bytes that is no larger than a signed one.
    fileprivate func integer(at place: Int) -> Int? {
        bigEndian(at: place, count: 8).flatMap { Int(exactly: $0) }
    }
}

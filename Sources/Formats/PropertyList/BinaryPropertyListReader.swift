/// A parser of binary property lists, version 00.
///
/// The file is a header, objects, a table of their offsets, and a trailer. Objects refer to each other by their numbers
/// in the table, so that one object can occur many times, or inside itself. Every offset, number and count is validated
/// against the size of the file. Each occurrence of a value counts against the limits, so that a hundred bytes of
/// mutual references cannot become an endless tree. There is no recursion, so the depth uses no stack.
struct BinaryPropertyListReader {
    private let bytes: [UInt8]
    private let limits: PropertyListLimits
    private let trailer: BinaryPropertyListTrailer
    /// True for each object that is an array or dictionary being parsed.
    private var isOpen: [Bool]
    /// The arrays and dictionaries being parsed, outermost first.
    private var open: [BinaryPropertyListContainer] = []
    private var nodes = 0
    private var contentBytes = 0

    init(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
        self.bytes = bytes
        self.limits = limits
        trailer = try BinaryPropertyListTrailer(bytes)
        isOpen = Array(repeating: false, count: trailer.objectCount)
    }

    /// Parses the file and returns the top-level value.
    mutating func read() throws(PropertyListError) -> PropertyListValue {
        var value = try begin(trailer.topObject, referredFrom: bytes.count - BinaryPropertyListTrailer.byteCount)
        while true {
            if let complete = value {
                guard !open.isEmpty else { return complete }
                try open[open.count - 1].append(complete)
            }
            value = try proceed()
        }
    }

    // MARK: Containers

    /// Begins the next value of the innermost container.
    ///
    /// - Returns: The value, or that of the container if it is complete; `nil` if another container was opened.
    private mutating func proceed() throws(PropertyListError) -> PropertyListValue? {
        guard let place = open[open.count - 1].nextReference else {
            let container = open.removeLast()
            isOpen[container.object] = false
            return container.value
        }
        let number = try bits(at: place, trailer.referenceWidth)
        guard let object = Int(exactly: number), object < trailer.objectCount else {
            throw error("a reference to an object that does not exist", place)
        }
        return try begin(object, referredFrom: place)
    }

    /// Parses an object; returns `nil` if it is an array or dictionary, which is then open.
    private mutating func begin(
        _ object: Int, referredFrom place: Int
    ) throws(PropertyListError) -> PropertyListValue? {
        let start = try offset(of: object, referredFrom: place)
        nodes += 1
        guard nodes <= limits.maxNodes else { throw error("more than \(limits.maxNodes) values and keys", start) }
        switch bytes[start] >> 4 {
        case 0xA: try open(object, at: start, isDictionary: false)
        case 0xD: try open(object, at: start, isDictionary: true)
        default: return try scalar(at: start)
        }
        return nil
    }

    private mutating func open(_ object: Int, at start: Int, isDictionary: Bool) throws(PropertyListError) {
        guard !isOpen[object] else { throw error("an array or dictionary contains itself", start) }
        guard open.count < limits.maxDepth else {
            throw error("arrays and dictionaries are nested more than \(limits.maxDepth) deep", start)
        }
        let (count, first) = try self.count(at: start)
        let width = trailer.referenceWidth
        guard count <= (trailer.tableOffset - first) / (isDictionary ? 2 * width : width) else {
            throw error("an object extends beyond the end of the objects", start)
        }
        isOpen[object] = true
        open.append(
            BinaryPropertyListContainer(
                object: object, isDictionary: isDictionary, count: count, firstReference: first, referenceWidth: width))
    }

    /// Returns the offset of an object from the table.
    private func offset(of object: Int, referredFrom place: Int) throws(PropertyListError) -> Int {
        let entry = trailer.tableOffset + object * trailer.offsetWidth
        guard let number = bytes.bigEndian(at: entry, count: trailer.offsetWidth), let offset = Int(exactly: number),
            (BinaryPropertyListTrailer.headerByteCount..<trailer.tableOffset).contains(offset)
        else { throw error("an offset outside the objects", place) }
        return offset
    }

    // MARK: Content

    private mutating func scalar(at start: Int) throws(PropertyListError) -> PropertyListValue {
        let info = Int(bytes[start] & 0xF)
        switch (bytes[start] >> 4, info) {
        case (0x0, 0x8): return .boolean(false)
        case (0x0, 0x9): return .boolean(true)
        case (0x1, 0...4): return .integer(try integer(at: start + 1, width: 1 << info))
        case (0x2, 2):
            let bits = try bits(at: start + 1, 4)
            return .real(PropertyListReal(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))))
        case (0x2, 3): return .real(PropertyListReal(Double(bitPattern: try bits(at: start + 1, 8))))
        case (0x3, 3): return .date(try date(at: start))
        case (0x4, _): return .data(Array(try content(at: start, unitBytes: 1)))
        case (0x5, _): return .string(try ascii(at: start))
        case (0x6, _): return .string(try utf16(at: start))
        case (0x8, 0...7):
            let number = try bits(at: start + 1, info + 1)
            return .dictionary([PropertyListEntry("CF$UID", .integer(Int128(number)))])
        default: throw error("an object of a type that is unknown or not allowed in a property list", start)
        }
    }

    /// Parses an integer; those of 1, 2 and 4 bytes are unsigned, longer ones are signed.
    private func integer(at place: Int, width: Int) throws(PropertyListError) -> Int128 {
        switch width {
        case 8: return Int128(Int64(bitPattern: try bits(at: place, 8)))
        case 16: return Int128(Int64(bitPattern: try bits(at: place, 8))) << 64 | Int128(try bits(at: place + 8, 8))
        default: return Int128(try bits(at: place, width))
        }
    }

    private func date(at start: Int) throws(PropertyListError) -> PropertyListDate {
        guard let date = PropertyListDate(seconds: Double(bitPattern: try bits(at: start + 1, 8))) else {
            throw error("a date outside the years 0 to 9999", start)
        }
        return date
    }

    private mutating func ascii(at start: Int) throws(PropertyListError) -> String {
        let content = try content(at: start, unitBytes: 1)
        guard content.allSatisfy({ $0 < 0x80 }) else { throw error("an ASCII string contains other bytes", start) }
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func utf16(at start: Int) throws(PropertyListError) -> String {
        let content = try content(at: start, unitBytes: 2)
        let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map {
            UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw error("unpaired surrogate in a string", start)
        }
        return text
    }

    /// Returns the bytes after a marker and a count.
    private mutating func content(at start: Int, unitBytes: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
        let (count, first) = try self.count(at: start)
        guard count <= (trailer.tableOffset - first) / unitBytes else {
            throw error("an object extends beyond the end of the objects", start)
        }
        contentBytes += count * unitBytes
        guard contentBytes <= limits.maxContentBytes else {
            throw error("more than \(limits.maxContentBytes) bytes of text and data", start)
        }
        return bytes[first..<first + count * unitBytes]
    }

    /// Returns the count in a marker, or in an integer after it, and the offset of the counted content.
    private func count(at start: Int) throws(PropertyListError) -> (count: Int, first: Int) {
        let info = Int(bytes[start] & 0xF)
        guard info == 0xF else { return (info, start + 1) }
        let marker = try bits(at: start + 1, 1)
        guard marker >> 4 == 0x1, marker & 0xF <= 3 else { throw error("a count that is not an integer", start) }
        let width = 1 << Int(marker & 0xF)
        guard let count = Int(exactly: try bits(at: start + 2, width)) else {
            throw error("an object extends beyond the end of the objects", start)
        }
        return (count, start + 2 + width)
    }

    /// Returns an unsigned number within the objects.
    private func bits(at place: Int, _ count: Int) throws(PropertyListError) -> UInt64 {
        guard place + count <= trailer.tableOffset, let bits = bytes.bigEndian(at: place, count: count) else {
            throw error("an object extends beyond the end of the objects", place)
        }
        return bits
    }

    private func error(_ message: String, _ place: Int) -> PropertyListError {
        PropertyListError(message, at: .byte(place))
    }
}

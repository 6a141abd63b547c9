/// An array or dictionary of a binary property list during parsing.
///
/// A dictionary has the references to all its keys, then those to its values in the same order.
struct BinaryPropertyListContainer {
    /// The number in the table of objects.
    let object: Int
    /// A Boolean value that indicates whether this is a dictionary rather than an array.
    let isDictionary: Bool
    /// The number of items or entries.
    let count: Int
    /// The offset of the first reference.
    let firstReference: Int
    /// The size of a reference, in bytes.
    let referenceWidth: Int
    private var keys: [String] = []
    private var values: [PropertyListValue] = []

    init(object: Int, isDictionary: Bool, count: Int, firstReference: Int, referenceWidth: Int) {
        self.object = object
        self.isDictionary = isDictionary
        self.count = count
        self.firstReference = firstReference
        self.referenceWidth = referenceWidth
    }

    /// The offset of the next reference, or `nil` if all were read.
    var nextReference: Int? {
        let read = keys.count + values.count
        return read < (isDictionary ? 2 * count : count) ? firstReference + read * referenceWidth : nil
    }

    /// Appends the value of the next reference.
    mutating func append(_ value: PropertyListValue) throws(PropertyListError) {
        guard isDictionary, keys.count < count else { return values.append(value) }
        guard case .string(let key) = value else {
            throw PropertyListError("a dictionary key must be a string", at: .byte(nextReference ?? firstReference))
        }
        keys.append(key)
    }

    /// The parsed value.
    var value: PropertyListValue {
        isDictionary ? .dictionary(zip(keys, values).map(PropertyListEntry.init)) : .array(values)
    }
}

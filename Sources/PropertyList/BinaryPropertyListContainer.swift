/// An array or dictionary of a binary property list that is being read.
///
/// A dictionary has the references to all its keys, then those to its values in the same order.
struct BinaryPropertyListContainer {
    /// Its number in the table of objects.
    let object: Int
    /// Whether it is a dictionary, and no array.
    let isDictionary: Bool
    /// How many items or entries it has.
    let count: Int
    /// Where its references begin.
    let firstReference: Int
    /// How many bytes each of them has.
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

    /// Where the next reference is; `nil` when all have been read.
    var nextReference: Int? {
        let read = keys.count + values.count
        return read < (isDictionary ? 2 * count : count) ? firstReference + read * referenceWidth : nil
    }

    /// Adds what the next reference stands for.
    mutating func append(_ value: PropertyListValue) throws(PropertyListError) {
        guard isDictionary, keys.count < count else { return values.append(value) }
        guard case .string(let key) = value else {
            throw PropertyListError("the key of a dictionary is no string", at: .byte(nextReference ?? firstReference))
        }
        keys.append(key)
    }

    /// What has been read.
    var value: PropertyListValue {
        isDictionary ? .dictionary(zip(keys, values).map(PropertyListEntry.init)) : .array(values)
    }
}

import ErrandTaskStore

/// The columns that store a ``StoredObject``.
struct ObjectColumns {
    /// The kind of object; null for no object.
    enum Kind: String {
        case slice
        case json
        case omitted
    }

    private(set) var kind: Kind?
    private(set) var start: Int64?
    private(set) var end: Int64?
    private(set) var json: [UInt8]?

    init(_ object: StoredObject) {
        switch object {
        case .none:
            break
        case .slice(let range):
            kind = .slice
            start = Int64(range.lowerBound)
            end = Int64(range.upperBound)
        case .json(let bytes):
            kind = .json
            json = bytes
        case .omitted:
            kind = .omitted
        }
    }
}

public import ErrandJSON
public import ErrandXML

/// A fault of a property list, or of a value that cannot be in one.
///
/// The messages quote none of the content except names of XML elements and code points.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The explanation for people: a sentence without a full stop.
    public var message: String
    /// The location, as exactly as it is known.
    public var place: Place

    /// The location of a fault.
    public enum Place: Sendable, Hashable {
        /// The fault is at this value; dictionaries and arrays are counted like JSON objects and arrays.
        case value(JSONPointer)
        /// The fault is at this byte of a binary property list.
        case byte(Int)
        /// The fault is one of XML syntax.
        case xml(XMLError)
    }

    /// Creates an error.
    public init(_ message: String, at place: Place) {
        self.message = message
        self.place = place
    }

    /// Creates the error of a property list whose XML is invalid.
    init(_ error: XMLError) {
        self.init(error.message, at: .xml(error))
    }

    /// The message and the location.
    public var description: String {
        switch place {
        case .value(let pointer): pointer.tokens.isEmpty ? message : "\(message) (at \(pointer))"
        case .byte(let offset): "\(message) (at byte \(offset))"
        case .xml(let error): error.description
        }
    }
}

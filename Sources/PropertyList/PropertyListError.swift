public import JSON
public import XML

/// Why bytes are no property list, or why a value cannot be one.
///
/// The messages quote nothing of the content but names of XML elements and code points.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, for people: a sentence without a full stop.
    public var message: String
    /// Where, as exactly as it is known.
    public var place: Place

    /// Where something is wrong.
    public enum Place: Sendable, Hashable {
        /// At this value: dictionaries and arrays are counted like JSON's objects and arrays.
        case value(JSONPointer)
        /// At this byte of a binary property list.
        case byte(Int)
        /// In the XML, before it means anything.
        case xml(XMLError)
    }

    /// Creates an error.
    public init(_ message: String, at place: Place) {
        self.message = message
        self.place = place
    }

    /// Creates the error of a property list whose XML cannot be read.
    init(_ error: XMLError) {
        self.init(error.message, at: .xml(error))
    }

    /// The message and the place.
    public var description: String {
        switch place {
        case .value(let pointer): pointer.tokens.isEmpty ? message : "\(message) (at \(pointer))"
        case .byte(let offset): "\(message) (at byte \(offset))"
        case .xml(let error): error.description
        }
    }
}

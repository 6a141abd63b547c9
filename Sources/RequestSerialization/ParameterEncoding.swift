/// How parameters become pairs of names and values: in queries, in forms and in multipart bodies.
///
/// The defaults are AFNetworking's rules; the choices are those of Alamofire's form encoder. A case's raw value is its
/// name in configurations.
///
/// What no choice changes: members of objects come in ascending order of their names' UTF-8, members of one name and
/// elements of arrays in the order in which they stand; numbers are written as they stand in the JSON; an empty array
/// or object makes no pair.
public struct ParameterEncoding: Sendable, Hashable {
    /// How the elements of an array are written.
    public var arrays: ArrayStyle
    /// How the members of an object in an object are named.
    public var nested: NestingStyle
    /// How `true` and `false` are written.
    public var booleans: BooleanStyle
    /// How `null` is written.
    public var nulls: NullStyle
    /// How spaces are escaped; without a meaning in multipart bodies.
    public var spaces: SpaceStyle

    /// Creates an encoding; by default the first style of each.
    public init(
        arrays: ArrayStyle = .brackets, nested: NestingStyle = .brackets, booleans: BooleanStyle = .numeric,
        nulls: NullStyle = .key, spaces: SpaceStyle = .percent
    ) {
        self.arrays = arrays
        self.nested = nested
        self.booleans = booleans
        self.nulls = nulls
        self.spaces = spaces
    }

    /// How the elements of an array are written.
    public enum ArrayStyle: String, Sendable, Hashable, CaseIterable {
        /// One pair for each element, with empty brackets: `a[]=1&a[]=2`.
        case brackets
        /// One pair for each element, with its place in the array, from 0: `a[0]=1&a[1]=2`.
        ///
        /// An element that makes no pair is counted all the same.
        case indices
        /// One pair for each element, under the same name: `a=1&a=2`.
        case `repeat`
        /// One pair for all elements: `a=1,2`.
        ///
        /// The commas between elements are bare, those in elements are escaped; a multipart body, which has no
        /// escapes, refuses elements with a comma. `null` is an empty element, but by
        /// ``ParameterEncoding/NullStyle/drop`` none and by ``ParameterEncoding/NullStyle/literal`` the word. Empty
        /// arrays and objects are no elements; others are refused, for a list has no place for their names. An array
        /// without an element makes no pair.
        case comma
    }

    /// How the members of an object in an object are named.
    public enum NestingStyle: String, Sendable, Hashable, CaseIterable {
        /// In brackets: `a[b]=1`.
        case brackets
        /// Behind a dot: `a.b=1`.
        case dots
    }

    /// How `true` and `false` are written.
    public enum BooleanStyle: String, Sendable, Hashable, CaseIterable {
        /// As `1` and `0`.
        case numeric
        /// As `true` and `false`.
        case literal
    }

    /// How `null` is written.
    public enum NullStyle: String, Sendable, Hashable, CaseIterable {
        /// As a name without `=`; in a multipart body as an empty part.
        case key
        /// As an empty string: `a=`.
        case empty
        /// Not at all.
        case drop
        /// As the word: `a=null`.
        case literal
    }

    /// How spaces are escaped.
    public enum SpaceStyle: String, Sendable, Hashable, CaseIterable {
        /// As `%20` (RFC 3986 §2.1).
        case percent
        /// As `+` (WHATWG URL, `application/x-www-form-urlencoded`); a plus sign is `%2B` in either style.
        case plus
    }
}

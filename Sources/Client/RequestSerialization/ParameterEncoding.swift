/// The rules for turning parameters into pairs of names and values: in queries, forms and multipart bodies.
///
/// The defaults are AFNetworking's rules; the options are those of Alamofire's form encoder. A case's raw value is its
/// name in configurations.
///
/// Independent of the options, members of objects are sorted by the UTF-8 of their names. Members of the same name and
/// elements of arrays keep their order. Numbers are written as in the JSON. An empty array or object makes no pair.
public struct ParameterEncoding: Sendable, Hashable {
    /// The style for elements of arrays.
    public var arrays: ArrayStyle
    /// The style for names of members in nested objects.
    public var nested: NestingStyle
    /// The style for `true` and `false`.
    public var booleans: BooleanStyle
    /// The style for `null`.
    public var nulls: NullStyle
    /// The style for escaping spaces; has no effect in multipart bodies.
    public var spaces: SpaceStyle

    /// Creates an encoding; by default with the first style of each kind.
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

    /// The styles for elements of arrays.
    public enum ArrayStyle: String, Sendable, Hashable, CaseIterable {
        /// One pair for each element, with empty brackets: `a[]=1&a[]=2`.
        case brackets
        /// One pair for each element, with its index from 0: `a[0]=1&a[1]=2`.
        ///
        /// Elements that make no pair are counted as well.
        case indices
        /// One pair for each element, with the same name: `a=1&a=2`.
        case `repeat`
        /// One pair for all elements: `a=1,2`.
        ///
        /// Commas between elements are not escaped, those within elements are. A multipart body, which has no escapes,
        /// refuses elements with a comma. `null` becomes an empty element; it is omitted with
        /// ``ParameterEncoding/NullStyle/drop`` and becomes the word with ``ParameterEncoding/NullStyle/literal``.
        /// Empty arrays and objects are omitted; others are refused, because a list has no place for their names. An
        /// array without elements makes no pair.
        case comma
    }

    /// The styles for names of members in nested objects.
    public enum NestingStyle: String, Sendable, Hashable, CaseIterable {
        /// In brackets: `a[b]=1`.
        case brackets
        /// After a dot: `a.b=1`.
        case dots
    }

    /// The styles for `true` and `false`.
    public enum BooleanStyle: String, Sendable, Hashable, CaseIterable {
        /// As `1` and `0`.
        case numeric
        /// As `true` and `false`.
        case literal
    }

    /// The styles for `null`.
    public enum NullStyle: String, Sendable, Hashable, CaseIterable {
        /// A name without `=`; in a multipart body an empty part.
        case key
        /// An empty string: `a=`.
        case empty
        /// No pair.
        case drop
        /// The word: `a=null`.
        case literal
    }

    /// The styles for escaping spaces.
    public enum SpaceStyle: String, Sendable, Hashable, CaseIterable {
        /// As `%20` (RFC 3986 §2.1).
        case percent
        /// As `+` (WHATWG URL, `application/x-www-form-urlencoded`); a plus sign is `%2B` in either style.
        case plus
    }
}

import ErrandRequestSerialization
import Testing

@Suite("The styles of a query")
struct QueryEncodingStyleTests {
    @Test(
        "of arrays",
        arguments: [
            ("brackets are empty", .brackets, #"{"a":[1,"x"]}"#, "a%5B%5D=1&a%5B%5D=x"),
            ("indices count from 0", .indices, #"{"a":[1,"x"]}"#, "a%5B0%5D=1&a%5B1%5D=x"),
            ("indices of objects", .indices, #"{"a":[{"b":1},{"b":2}]}"#, "a%5B0%5D%5Bb%5D=1&a%5B1%5D%5Bb%5D=2"),
            (
                "indices of arrays", .indices, #"{"a":[[1,2],[3]]}"#,
                "a%5B0%5D%5B0%5D=1&a%5B0%5D%5B1%5D=2&a%5B1%5D%5B0%5D=3"
            ),
            ("an index is the place in the array", .indices, #"{"a":[{},1]}"#, "a%5B1%5D=1"),
            (
                "indices of two digits", .indices, #"{"a":[[],[],[],[],[],[],[],[],[],[],5]}"#, "a%5B10%5D=5"
            ),
            ("repeat has nothing behind the name", .repeat, #"{"a":[1,"x"]}"#, "a=1&a=x"),
            ("repeat of objects", .repeat, #"{"a":[{"b":1},{"b":2}]}"#, "a%5Bb%5D=1&a%5Bb%5D=2"),
            ("repeat of arrays", .repeat, #"{"a":[[1],[2]]}"#, "a=1&a=2"),
            ("repeat of nothing", .repeat, #"{"a":[]}"#, ""),
            ("commas are bare between elements", .comma, #"{"a":[1,"x",true]}"#, "a=1,x,1"),
            ("commas in elements are escaped", .comma, #"{"a":["x,y","z"]}"#, "a=x%2Cy,z"),
            ("commas in other values are escaped too", .comma, #"{"a":"x,y"}"#, "a=x%2Cy"),
            ("numbers in a list are as written", .comma, #"{"a":[1.10,1e2]}"#, "a=1.10,1e2"),
            ("a list of one", .comma, #"{"a":[1]}"#, "a=1"),
            ("a list below an object", .comma, #"{"a":{"b":[1,2]}}"#, "a%5Bb%5D=1,2"),
            ("null is an empty element", .comma, #"{"a":[1,null,2]}"#, "a=1,,2"),
            ("a list of one null", .comma, #"{"a":[null]}"#, "a="),
            ("an empty string is an empty element", .comma, #"{"a":["",""]}"#, "a=,"),
            ("empty containers are no elements", .comma, #"{"a":[[],1,{}]}"#, "a=1"),
            ("a list without elements is nothing", .comma, #"{"a":[],"b":[[]]}"#, ""),
        ] as [(String, ParameterEncoding.ArrayStyle, String, String)])
    func arrays(rule: String, style: ParameterEncoding.ArrayStyle, parameters: String, expected: String) throws {
        try check(rule, ParameterEncoding(arrays: style), parameters, expected)
    }

    @Test(
        "of comma-separated lists refuse unsupported elements",
        arguments: [
            (#"{"a":[[1]]}"#, "an array"), (#"{"a":[1,{"b":2}]}"#, "an object"), (#"{"a":[[[]]]}"#, "an array"),
        ])
    func nestedLists(parameters: String, found: String) {
        let error = #expect(throws: RequestSerializationError.self) {
            try QueryEncoding.encode(Array(parameters.utf8), ParameterEncoding(arrays: .comma))
        }
        #expect(error?.message == "A comma-separated array cannot contain \(found)")
    }

    @Test(
        "of nesting",
        arguments: [
            ("dots for objects", .init(nested: .dots), #"{"a":{"c":1,"b":{"d":2}}}"#, "a.b.d=2&a.c=1"),
            ("dots leave the brackets of arrays", .init(nested: .dots), #"{"a":{"b":[1]}}"#, "a.b%5B%5D=1"),
            ("dots behind indices", .init(arrays: .indices, nested: .dots), #"{"a":[{"b":1}]}"#, "a%5B0%5D.b=1"),
            ("dots behind brackets", .init(nested: .dots), #"{"a":[{"b":1}]}"#, "a%5B%5D.b=1"),
            ("dots with repeat", .init(arrays: .repeat, nested: .dots), #"{"a":[{"b":1},2]}"#, "a.b=1&a=2"),
            ("a dot in a name is like any other", .init(nested: .dots), #"{"a.b":{"c.d":1}}"#, "a.b.c.d=1"),
        ] as [(String, ParameterEncoding, String, String)])
    func nesting(rule: String, encoding: ParameterEncoding, parameters: String, expected: String) throws {
        try check(rule, encoding, parameters, expected)
    }

    @Test(
        "of booleans and nulls",
        arguments: [
            ("words", .init(booleans: .literal), #"{"a":true,"b":[false]}"#, "a=true&b%5B%5D=false"),
            ("words in a list", .init(arrays: .comma, booleans: .literal), #"{"a":[true,false]}"#, "a=true,false"),
            ("null as a name", .init(nulls: .key), #"{"a":null,"b":[null,1]}"#, "a&b%5B%5D&b%5B%5D=1"),
            ("null as an empty string", .init(nulls: .empty), #"{"a":null,"b":[null]}"#, "a=&b%5B%5D="),
            ("null as nothing", .init(nulls: .drop), #"{"a":null,"b":[null,1],"c":{"d":null}}"#, "b%5B%5D=1"),
            ("null as the word", .init(nulls: .literal), #"{"a":null,"b":[null]}"#, "a=null&b%5B%5D=null"),
            (
                "a dropped null counts as an index", .init(arrays: .indices, nulls: .drop), #"{"a":[null,1]}"#,
                "a%5B1%5D=1"
            ),
            ("null as an empty string in a list", .init(arrays: .comma, nulls: .empty), #"{"a":[null,1]}"#, "a=,1"),
            ("null as nothing in a list", .init(arrays: .comma, nulls: .drop), #"{"a":[null,1],"b":[null]}"#, "a=1"),
            ("null as the word in a list", .init(arrays: .comma, nulls: .literal), #"{"a":[null,1]}"#, "a=null,1"),
        ] as [(String, ParameterEncoding, String, String)])
    func literals(rule: String, encoding: ParameterEncoding, parameters: String, expected: String) throws {
        try check(rule, encoding, parameters, expected)
    }

    @Test(
        "of spaces",
        arguments: [
            ("a plus sign for a space", .init(spaces: .plus), #"{"a b":"c d"}"#, "a+b=c+d"),
            ("a plus sign is escaped", .init(spaces: .plus), #"{"a":"1+1 = 2"}"#, "a=1%2B1+%3D+2"),
            ("other white space is escaped", .init(spaces: .plus), #"{"a":"\t\n\u00a0"}"#, "a=%09%0A%C2%A0"),
            ("in a list", .init(arrays: .comma, spaces: .plus), #"{"a":["b c","d e"]}"#, "a=b+c,d+e"),
        ] as [(String, ParameterEncoding, String, String)])
    func spaces(rule: String, encoding: ParameterEncoding, parameters: String, expected: String) throws {
        try check(rule, encoding, parameters, expected)
    }

    @Test("have the names used in configurations")
    func names() {
        #expect(ParameterEncoding.ArrayStyle.allCases.map(\.rawValue) == ["brackets", "indices", "repeat", "comma"])
        #expect(ParameterEncoding.NestingStyle.allCases.map(\.rawValue) == ["brackets", "dots"])
        #expect(ParameterEncoding.BooleanStyle.allCases.map(\.rawValue) == ["numeric", "literal"])
        #expect(ParameterEncoding.NullStyle.allCases.map(\.rawValue) == ["key", "empty", "drop", "literal"])
        #expect(ParameterEncoding.SpaceStyle.allCases.map(\.rawValue) == ["percent", "plus"])
    }

    private func check(
        _ rule: String, _ encoding: ParameterEncoding, _ parameters: String, _ expected: String
    ) throws {
        #expect(try QueryEncoding.encode(Array(parameters.utf8), encoding) == expected, "\(rule)")
    }
}

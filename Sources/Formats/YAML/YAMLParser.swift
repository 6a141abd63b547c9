import CErrandLibYAML

/// The event parser of libyaml, for a text in memory.
///
/// It owns the `yaml_parser_t`, which is on the heap because libyaml keeps a pointer to it inside itself, and the
/// bytes, to which libyaml keeps a pointer too. libyaml's own loader is not used, because its time is quadratic in the
/// depth, and it has no limits.
struct YAMLParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    /// The number of bytes of the text in the input.
    private let count: Int

    /// Creates a parser at the start of a text.
    init(_ source: YAMLSource) throws(YAMLError) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw Self.outOfMemory
        }
        // libyaml requires an address for an empty text too.
        let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, source.bytes.count))
        _ = input.initialize(fromContentsOf: source.bytes)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, source.bytes.count)
        self.parser = parser
        self.input = input
        count = source.bytes.count
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    private static let outOfMemory = YAMLError(.memory, at: .start, "not enough memory to read the text")

    /// Returns the next event; do not call this after the end of the stream.
    mutating func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else {
            throw error()
        }
        defer { yaml_event_delete(&event) }
        return YAMLEvent(event)
    }

    /// Returns the error that libyaml reports.
    private func error() -> YAMLError {
        let state = parser.pointee
        guard state.error != YAML_MEMORY_ERROR else { return Self.outOfMemory }
        let mark = YAMLMark(state.problem_mark)
        var message = state.problem.map { String(cString: $0) } ?? "invalid YAML"
        let context = state.context.map { String(cString: $0) }
        let start = YAMLMark(state.context_mark)
        if let context, let remedy = Self.remedies[context] { return YAMLError(.syntax, at: start, remedy) }
        if message == "found undefined tag handle" { return YAMLError(.syntax, at: mark, Self.tagRemedy) }
        let (before, found) = characters(at: mark)
        if message == "found character that cannot start any token", let found {
            if Self.indicators.contains(found) {
                return YAMLError(.syntax, at: mark, "found \(found); quote text that begins with \(found)")
            }
            if found == "\t" { message = "found a tab; indent with spaces" }
        } else if before == "$", found == "{" {
            // Outside braces and brackets, such a text is a scalar.
            message = "found ${ in braces or brackets; put the value into quotes, as in \"${NAME}\""
        }
        if let context {
            message += ", \(context)"
            if start != mark { message += " that begins at \(start)" }
        }
        return YAMLError(.syntax, at: mark, message)
    }

    /// The messages for text without quotes that libyaml begins to read as something else, by libyaml's context.
    private static let remedies = [
        "while scanning an alias": "found an invalid alias; quote text that begins with *",
        "while scanning an anchor": "found an invalid anchor; quote text that begins with &",
        "while scanning a tag": tagRemedy,
        "while parsing a tag": tagRemedy,
    ]

    private static let tagRemedy = "tags are not supported; quote text that begins with !"

    /// The printable characters that libyaml refuses at the start of a text, `|` and `>` only in braces or brackets.
    private static let indicators: Set<Unicode.Scalar> = ["@", "`", "%", "|", ">"]

    /// Returns the character at a location, and the one before it.
    private func characters(at mark: YAMLMark) -> (before: Unicode.Scalar?, found: Unicode.Scalar?) {
        var position = YAMLPosition()
        var before: Unicode.Scalar?
        for scalar in String(decoding: input.prefix(count), as: UTF8.self).unicodeScalars {
            if position.mark >= mark { return (before, scalar) }
            position.advance(over: scalar)
            before = scalar
        }
        return (before, nil)
    }
}

extension YAMLMark {
    /// Converts a mark of libyaml, which counts from 0.
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}

extension YAMLEvent {
    /// Copies an event of libyaml.
    fileprivate init(_ event: yaml_event_t) {
        mark = YAMLMark(event.start_mark)
        switch event.type {
        case YAML_STREAM_START_EVENT:
            kind = .streamStart
        case YAML_DOCUMENT_START_EVENT:
            kind = .documentStart
        case YAML_DOCUMENT_END_EVENT:
            kind = .documentEnd
        case YAML_ALIAS_EVENT:
            kind = .alias(Self.text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            kind = .scalar(YAMLScalar(text, isQuoted: scalar.style != YAML_PLAIN_SCALAR_STYLE))
            (anchor, tag) = (Self.text(scalar.anchor), Self.text(scalar.tag))
        case YAML_SEQUENCE_START_EVENT:
            kind = .sequenceStart
            (anchor, tag) = (Self.text(event.data.sequence_start.anchor), Self.text(event.data.sequence_start.tag))
        case YAML_SEQUENCE_END_EVENT:
            kind = .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            kind = .mappingStart
            (anchor, tag) = (Self.text(event.data.mapping_start.anchor), Self.text(event.data.mapping_start.tag))
        case YAML_MAPPING_END_EVENT:
            kind = .mappingEnd
        default:
            // The end of the stream, and the "no event" that follows it.
            kind = .streamEnd
        }
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}

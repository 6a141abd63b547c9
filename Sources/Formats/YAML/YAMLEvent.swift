/// An event of the parser.
struct YAMLEvent {
    /// The kinds of events.
    enum Kind {
        case streamStart
        case streamEnd
        case documentStart
        case documentEnd
        case alias(String)
        case scalar(YAMLScalar)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
    }

    var kind: Kind
    /// The start of the event, which includes an anchor or a tag before a node.
    var mark: YAMLMark
    /// The anchor that the node defines.
    var anchor: String?
    /// The resolved tag of the node, or `!`.
    var tag: String?
}

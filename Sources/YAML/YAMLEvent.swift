/// One event of the parser, as Swift values.
struct YAMLEvent {
    /// What happened.
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
    /// Where it begins; an anchor or a tag before a node counts as its beginning.
    var mark: YAMLMark
    /// The anchor that the node sets.
    var anchor: String?
    /// The node's tag, resolved, or `!`.
    var tag: String?
}

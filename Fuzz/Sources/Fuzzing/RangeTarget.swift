import ErrandHTTPServer

extension FuzzTarget {
    /// Fuzzes conditional and partial requests.
    ///
    /// The lines are `Range`, `If-Range`, an entity tag or a list of them, and the size.
    static let range = FuzzTarget("range", maxBytes: 256) { input in
        let lines = InputText.lines(input).map { InputText.fieldText($0) }
        let field = { (index: Int) in lines.count > index ? lines[index] : nil }
        let tag = field(2).flatMap { EntityTag($0) }
        let size = field(3).flatMap { Int64($0) }.map { max(0, $0) } ?? 1000
        let selection = RangeSelection(range: lines[0], ifRange: field(1), entityTag: tag, size: size)
        if case .part(let part) = selection {
            let (end, isTooLarge) = part.offset.addingReportingOverflow(part.length)
            try expect(part.offset >= 0 && part.length >= 1, "a part is not empty")
            try expect(!isTooLarge && end <= size, "a part lies within the whole")
            try expect(
                part.contentRange(size: size) == "bytes \(part.offset)-\(end - 1)/\(size)", "Content-Range is right")
            try expect(field(1) == nil || tag != nil, "without a tag, If-Range selects the whole")
        }
        try judge(tag, EntityTagCondition(field(2) ?? ""))
    }

    private static func judge(_ tag: EntityTag?, _ condition: EntityTagCondition?) throws(BrokenPromise) {
        if let tag {
            try expect(EntityTag(tag.description) == tag, "a tag round-trips")
            try expect(condition == .tags([tag]), "one tag is a list of it")
            try expect(tag.matchesWeakly(tag) && tag.matchesStrongly(tag) == !tag.isWeak, "a tag matches itself")
        }
        guard case .tags(let tags) = condition else { return }
        try expect(!tags.isEmpty, "a list has a tag")
        let text = tags.map(\.description).joined(separator: ", ")
        try expect(EntityTagCondition(text) == condition, "a list round-trips")
    }
}

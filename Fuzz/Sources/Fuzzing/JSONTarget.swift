import JSON

extension FuzzTarget {
    /// JSON text: two readers agree, and what is written of the tree is read as the same tree.
    static let json = FuzzTarget("json") { input in
        let limits = JSONLimits(maxDepth: 16)
        let validated: JSONValidator.Summary?
        do throws(JSONSyntaxError) {
            validated = try JSONValidator.validate(input, limits: limits)
        } catch {
            try expect((0...input.count).contains(error.offset), "the validator's error lies within the text")
            validated = nil
        }
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument.parse(input, limits: limits)
        } catch {
            try expect((0...input.count).contains(error.offset), "an error lies within the text")
            try expect(error.position.line >= 1 && error.position.column >= 1, "positions begin at 1")
            // The one difference: a half surrogate is grammar, and no character.
            let isSurrogate = error.reason == .loneSurrogate
            try expect(validated == nil || isSurrogate, "the parser refuses what the validator takes: \(error)")
            return
        }
        try expect(validated?.range == document.root.range, "parser and validator see the same value")
        try expect(validated?.isContainer == (document.root.array != nil || document.root.object != nil), "its kind")
        try expect(JSONTree.depth(of: document.root) <= limits.maxDepth, "the depth limit holds")
        let slice = try JSONDocument.parse(Array(document.slice(of: document.root)), limits: limits)
        try expect(JSONTree.bare(slice.root) == JSONTree.bare(document.root), "a value's own bytes are that value")
        let written = try JSONDocument.parse(JSONTree.written(document.root), limits: limits)
        try expect(JSONTree.bare(written.root) == JSONTree.bare(document.root), "a tree survives being written")
    }
}

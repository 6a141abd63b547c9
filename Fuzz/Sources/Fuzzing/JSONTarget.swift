import ErrandJSON

extension FuzzTarget {
    /// Fuzzes JSON text: validator and parser agree, and a tree round-trips.
    static let json = FuzzTarget("json") { input in
        let limits = JSONLimits(maxDepth: 16)
        let validated: JSONValidator.Summary?
        do throws(JSONSyntaxError) {
            validated = try JSONValidator.validate(input, limits: limits)
        } catch {
            try expect((0...input.count).contains(error.offset), "the validator's error lies within the text")
            validated = nil
        }
        if let validated {
            let text = Array(input[validated.range])
            let wrapped = Array(#"{"v":"#.utf8) + text + Array("}".utf8)
            let document = try JSONDocument.parse(wrapped, limits: JSONLimits(maxDepth: 17), verbatim: ["v"])
            let value = document.root.object?["v"].map { Array(document.slice(of: $0)) }
            try expect(value == text, "what is passed on is taken as the grammar has it, byte for byte")
        }
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument.parse(input, limits: limits)
        } catch {
            try expect((0...input.count).contains(error.offset), "an error lies within the text")
            try expect(error.position.line >= 1 && error.position.column >= 1, "positions begin at 1")
            // The only difference: the grammar permits an unpaired surrogate, which is not a character.
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
        try expect(JSONTree.bare(written.root) == JSONTree.bare(document.root), "a tree round-trips")
    }
}

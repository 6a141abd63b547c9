import ErrandJSON
import ErrandPropertyList

extension FuzzTarget {
    /// Fuzzes XML and binary property lists: limits are respected, and the resulting JSON is well-formed.
    static let propertyList = FuzzTarget("property-list") { input in
        let limits = PropertyListLimits(maxDepth: 16, maxNodes: 500, maxContentBytes: 4096)
        guard let document = try? PropertyListDocument.parse(input, limits: limits) else { return }
        let json = PropertyListJSON.write(document.root)
        let read = try JSONDocument.parse(json, limits: JSONLimits(maxDepth: JSONLimits.greatestDepth))
        try expect(JSONTree.depth(of: read.root) <= 17, "the depth limit holds")
        // Six bytes for each escape, and the surrounding names and brackets.
        try expect(json.count <= 6 * 4096 + 500 * 64, "the limit of content holds: \(json.count)")
        guard let xml = try? PropertyListWriter.xml(read.root) else { return }
        let again = try PropertyListDocument.parse(xml)
        try expect(
            JSONTree.bare(try JSONDocument.parse(PropertyListJSON.write(again.root)).root) == JSONTree.bare(read.root),
            "it round-trips")
    }
}

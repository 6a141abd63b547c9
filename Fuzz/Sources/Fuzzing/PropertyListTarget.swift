import JSON
import PropertyList

extension FuzzTarget {
    /// Property lists, XML and binary: limits hold, and the JSON that is made of one is well-formed.
    static let propertyList = FuzzTarget("property-list") { input in
        let limits = PropertyListLimits(maxDepth: 16, maxNodes: 500, maxContentBytes: 4096)
        guard let document = try? PropertyListDocument.parse(input, limits: limits) else { return }
        let json = PropertyListJSON.write(document.root)
        let read = try JSONDocument.parse(json, limits: JSONLimits(maxDepth: JSONLimits.greatestDepth))
        try expect(JSONTree.depth(of: read.root) <= 17, "the depth limit holds")
        // Six bytes for an escape, and the names and brackets around.
        try expect(json.count <= 6 * 4096 + 500 * 64, "the limit of content holds: \(json.count)")
        guard let xml = try? PropertyListWriter.xml(read.root) else { return }
        let again = try PropertyListDocument.parse(xml)
        try expect(
            JSONTree.bare(try JSONDocument.parse(PropertyListJSON.write(again.root)).root) == JSONTree.bare(read.root),
            "what is written of it is read as the same")
    }
}

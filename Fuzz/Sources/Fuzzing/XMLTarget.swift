import ErrandJSON
import ErrandResponseSerialization
import ErrandXML

extension FuzzTarget {
    /// Fuzzes XML documents: no entity is fetched or expanded, limits are respected, and the tree becomes well-formed
    /// JSON.
    static let xml = FuzzTarget("xml") { input in
        let limits = XMLLimits(maxDepth: 16, maxNodes: 200, maxTextBytes: 1024)
        if let document = try? XMLDocument.parse(input, limits: limits) {
            try expect(XMLTree.depth(of: document.root) <= 16, "the depth limit holds")
            try expect(XMLTree.textBytes(in: document.root) <= 1024, "the limit of text holds")
        }
        guard let read = try? XMLResponseSerializer().serialize(input, contentType: nil) else { return }
        try SerializedContent.judge(read, of: input)
    }
}

private enum XMLTree {
    static func depth(of element: XMLElement) -> Int {
        1 + (elements(in: element).map(depth).max() ?? 0)
    }

    static func textBytes(in element: XMLElement) -> Int {
        let own = element.children.reduce(0) { sum, child in
            if case .text(let text) = child { sum + text.utf8.count } else { sum }
        }
        return elements(in: element).reduce(own) { $0 + textBytes(in: $1) }
    }

    private static func elements(in element: XMLElement) -> [XMLElement] {
        element.children.compactMap { child in
            if case .element(let element) = child { element } else { nil }
        }
    }
}

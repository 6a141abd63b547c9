import ErrandYAML
import Testing

@Suite("Limits of YAML")
struct YAMLLimitsTests {
    private static func error(_ yaml: String, _ limits: YAMLLimits = YAMLLimits()) -> YAMLError? {
        do {
            _ = try YAMLReader.parse(Array(yaml.utf8), limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test("64 levels are accepted, and the 65th is rejected at its start")
    func depth() {
        let open = String(repeating: "[", count: 64)
        let close = String(repeating: "]", count: 64)
        #expect(Self.error(open + close) == nil)
        let error = Self.error("[" + open + close + "]")
        #expect(error?.code == .limit)
        #expect(error?.mark == YAMLMark(line: 1, column: 65))
    }

    @Test(
        "A hundred kilobytes of opening brackets or dashes are rejected at one of the first 65",
        arguments: ["[", "{", "- ", "? ", "[{", "&a [", "{a: "])
    func hostileDepth(opening: String) throws {
        let text = String(repeating: opening, count: 100_000 / opening.utf8.count)
        // libyaml's own loader reads on to the end, which takes half a minute.
        let mark = try #require(Self.error(text)).mark
        #expect(mark.line == 1)
        #expect(mark.column <= 65 * opening.utf8.count)
    }

    @Test("Aliases count as the nodes that they refer to, so that a few lines cannot become millions of nodes")
    func expansion() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let alias = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(alias)]\n"
        }
        let error = Self.error(text)
        #expect(error?.code == .limit)
        #expect(error?.mark.line == 5)
        #expect(error?.message == "more than 100000 values and keys, aliases expanded")
    }

    @Test("Aliases count with the levels of their nodes, so that a few lines cannot become thousands of levels")
    func expandedDepth() {
        var limits = YAMLLimits()
        limits.maxDepth = 8
        let seven = "a: &x [[[[[[[1]]]]]]]\n"
        #expect(Self.error(seven + "b: *x", limits) == nil)
        let error = Self.error(seven + "b: [*x]", limits)
        #expect(
            error?.description == "2:5: b[0]: more than 8 levels of nested mappings and sequences, aliases expanded")

        // Each anchor has one level more than that before it.
        var chain = "a0: &a0 [x]\n"
        for level in 1...8 { chain += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        #expect(Self.error(chain, limits)?.mark == YAMLMark(line: 8, column: 10))
    }

    @Test(
        "The levels of a node with an anchor are those of its deepest part, before or behind other anchors in it",
        arguments: ["[[[[1]]], &y [1]]", "[&y [1], [[[1]]]]", "[&y [[1]], [*y]]", "{p: [[&y {q: 1}]], r: *y}"])
    func heightOfAnchor(node: String) {
        var limits = YAMLLimits()
        limits.maxDepth = 8
        #expect(Self.error("a: &x \(node)\nb: [[[*x]]]", limits) == nil)
        let error = Self.error("a: &x \(node)\nb: [[[[*x]]]]", limits)
        #expect(error?.code == .limit)
        #expect(error?.mark == YAMLMark(line: 2, column: 8))
    }

    @Test("Merges count as the members that they add")
    func mergeExpansion() {
        var limits = YAMLLimits()
        limits.maxNodes = 15
        let text = "a: &x {p: 1, q: 2}\nb: {<<: *x}\n"
        #expect(Self.error(text, limits)?.code == nil)
        limits.maxNodes = 14
        #expect(Self.error(text, limits)?.code == .limit)
    }

    @Test("The number of nodes is limited, keys included")
    func nodes() {
        var limits = YAMLLimits()
        limits.maxNodes = 5
        #expect(Self.error("a: 1\nb: 2", limits) == nil)
        let error = Self.error("a: 1\nb: 2\nc: 3", limits)
        #expect(error?.mark == YAMLMark(line: 3, column: 1))
    }

    @Test("A scalar may be as large as the limit and no larger")
    func scalar() {
        var limits = YAMLLimits()
        limits.maxScalarBytes = 10
        #expect(Self.error("a: 0123456789", limits) == nil)
        #expect(Self.error("a: 01234567890", limits)?.description == "1:4: a: the scalar has more than 10 bytes")
    }

    @Test("Aliases count with the bytes of their nodes, so that one large value cannot become hundreds")
    func expandedBytes() {
        var limits = YAMLLimits()
        limits.maxTotalScalarBytes = 32
        #expect(Self.error("a: &a 0123456789\nb: [*a, *a]", limits) == nil)
        let error = Self.error("a: &a 0123456789\nb: [*a, *a, *a]", limits)
        #expect(error?.description == "2:13: b[2]: more than 32 bytes of values and keys, aliases expanded")
        #expect(Self.error("a: &a {k: 0123456789}\nb: {<<: *a}\nc: *a", limits)?.code == .limit)
    }

    @Test("A text may be as large as the limit and no larger")
    func size() {
        var limits = YAMLLimits()
        limits.maxBytes = 4
        #expect(Self.error("a: 1", limits) == nil)
        #expect(Self.error("a: 12", limits)?.description == "1:1: the text has more than 4 bytes")
    }
}

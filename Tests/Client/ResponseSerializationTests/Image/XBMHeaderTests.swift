import Testing

@testable import ErrandResponseSerialization

@Suite("The header of an X bitmap")
struct XBMHeaderTests {
    private func size(_ text: String) -> ImageSize? {
        XBMHeader.size(in: ImageBytes(Array(text.utf8)))
    }

    @Test("defines width and height", arguments: ["\n", "\r\n"])
    func size(newline: String) {
        let lines = ["#define a_width 16", "#define a_height\t 7", "static char a_bits[] = {"]
        #expect(size(lines.joined(separator: newline)) == ImageSize(width: 16, height: 7))
    }

    @Test(
        "is damaged if it defines something else, or numbers that are too large",
        arguments: [
            "#define a 1", "#define a_width 16\n#define a_height 7", "#define a_height 1\n#define a_width 1\nx",
            "#define a_width 99999\n#define a_height 1\nx", "#define a_width -1\n#define a_height 1\nx",
            "#define a_width 1 1\n#define a_height 1\nx", "#define \n\n\n",
        ])
    func damaged(text: String) {
        #expect(size(text) == nil)
    }
}

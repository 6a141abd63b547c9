import ErrandPublicSuffix
import Testing

@Suite("PublicSuffixList")
struct PublicSuffixListTests {
    @Test(
        "Names below which unrelated parties register are suffixes",
        arguments: [
            "com", "org", "uk", "co.uk", "jp", "kobe.jp",
            // Rule `*.ck`, private section, rule in an internationalized script.
            "anything.ck", "github.io", "xn--55qx5d.cn",
        ])
    func suffixes(_ name: String) {
        #expect(PublicSuffixList.isPublicSuffix(name))
    }

    @Test(
        "Registered names are not suffixes",
        arguments: [
            "example.com", "www.example.com", "example.co.uk", "errand.github.io",
            // Exceptions of the rules `*.ck` and `*.kawasaki.jp`.
            "www.ck", "city.kawasaki.jp",
        ])
    func registered(_ name: String) {
        #expect(!PublicSuffixList.isPublicSuffix(name))
    }

    @Test("A single label that no rule covers is a suffix", arguments: ["localhost", "upstream", "internal-name"])
    func unlisted(_ name: String) {
        #expect(PublicSuffixList.isPublicSuffix(name))
        #expect(!PublicSuffixList.isPublicSuffix("host.\(name)"))
    }

    @Test("A trailing dot is ignored")
    func absolute() {
        #expect(PublicSuffixList.isPublicSuffix("co.uk."))
        #expect(!PublicSuffixList.isPublicSuffix("example.co.uk."))
    }

    @Test("A name with a NUL is treated as a suffix")
    func nul() {
        #expect(PublicSuffixList.isPublicSuffix("example.com\0.invalid"))
    }

    @Test(
        "Invalid names are handled too",
        arguments: ["", ".", "..", "é", "a..b", String(repeating: "a.", count: 5000)])
    func odd(_ name: String) {
        // libpsl decides the result; the test requires only that there is one.
        let answer = PublicSuffixList.isPublicSuffix(name)
        #expect(answer == PublicSuffixList.isPublicSuffix(name))
    }

    @Test("The list can be used from any thread")
    func threads() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    PublicSuffixList.isPublicSuffix(number.isMultiple(of: 2) ? "co.uk" : "a\(number).co.uk")
                }
            }
            #expect(await group.reduce(into: 0) { $0 += $1 ? 1 : 0 } == 100)
        }
    }
}

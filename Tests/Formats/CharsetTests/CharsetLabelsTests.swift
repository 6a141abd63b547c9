import ErrandCharset
import Testing

@Suite("The label of a charset")
struct CharsetLabelsTests {
    @Test(
        "has the meaning that the web gives it",
        arguments: [
            ("utf8", "utf-8"), ("UTF-8", "utf-8"), ("unicode", "utf-16le"), ("UTF-16", "utf-16le"),
            ("utf-16be", "utf-16be"), ("utf-32", "utf-32be"), ("us-ascii", "windows-1252"), ("latin1", "windows-1252"),
            ("ISO-8859-1", "windows-1252"), ("iso8859-2", "iso-8859-2"), ("iso_8859-9", "windows-1254"),
            ("tis-620", "windows-874"), ("cp1251", "windows-1251"), ("x-cp1250", "windows-1250"),
            ("gb2312", "gbk"), ("GB18030", "gb18030"), ("Shift-JIS", "shift_jis"), ("windows-31j", "shift_jis"),
            ("x-euc-jp", "euc-jp"), ("ks_c_5601-1987", "euc-kr"), ("big5-hkscs", "big5"), ("koi8-ru", "koi8-u"),
            ("logical", "iso-8859-8"), (" \t koi8-r\n", "koi8-r"),
        ])
    func known(label: String, name: String) {
        #expect(Charset(label: label)?.name == name)
    }

    @Test(
        "is unknown if it names nothing, two charsets, or one that the web rejects",
        arguments: [
            "", " ", "utf", "utf-8 utf-8", "utf-7", "hz-gb-2312", "iso-2022-kr", "iso-2022-cn", "x-user-defined",
        ])
    func unknown(label: String) {
        #expect(Charset(label: label) == nil)
    }
}

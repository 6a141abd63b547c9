/// The labels of charsets (Encoding Standard §4.2) and their decoders.
enum CharsetLabels {
    /// Returns the charset of a label, ignoring case and surrounding whitespace, or `nil` if it is unknown.
    static func charset(_ label: String) -> Charset? {
        let parts = label.split(whereSeparator: \.isWhitespace)
        return parts.count == 1 ? charsets[parts[0].lowercased()] : nil
    }

    private static let charsets: [String: Charset] = {
        var charsets: [String: Charset] = [:]
        for (charset, labels) in unicode + latin + cyrillic + otherAlphabets + windows + eastAsian {
            charsets[charset.name] = charset
            for label in labels.split(separator: " ") { charsets[String(label)] = charset }
        }
        return charsets
    }()

    private typealias Row = (charset: Charset, labels: String)

    /// Returns the row of an encoding that the C library decodes.
    private static func row(_ name: String, as encoding: LibraryEncoding, _ labels: String = "") -> Row {
        (Charset(name, .library(encoding)), labels)
    }

    /// Returns the row of a part of ISO 8859, whose name has four spellings.
    private static func iso8859(_ part: Int, _ labels: String = "") -> Row {
        row(
            "iso-8859-\(part)", as: LibraryEncoding("ISO-8859-\(part)"),
            "iso8859-\(part) iso8859\(part) iso_8859-\(part) \(labels)")
    }

    /// Returns the row of a Windows code page, whose name has three spellings.
    private static func windows(_ page: Int, _ labels: String = "") -> Row {
        row("windows-\(page)", as: LibraryEncoding("CP\(page)", .windows), "cp\(page) x-cp\(page) \(labels)")
    }

    private static let unicode: [Row] = [
        (.utf8, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8"),
        (Charset("utf-16be", .utf16(.bigEndian)), "unicodefffe"),
        (
            Charset("utf-16le", .utf16(.littleEndian)),
            "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16"
        ),
        // Without a mark the order is big-endian (The Unicode Standard, D101); the Encoding Standard has no UTF-32.
        (Charset("utf-32be", .utf32(.bigEndian)), "utf-32 ucs-4 iso-10646-ucs-4 csucs4"),
        (Charset("utf-32le", .utf32(.littleEndian)), ""),
    ]

    private static let latin: [Row] = [
        (
            .windows1252,
            """
            ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 \
            iso_8859-1:1987 l1 latin1 us-ascii x-cp1252
            """
        ),
        iso8859(2, "csisolatin2 iso-ir-101 iso_8859-2:1987 l2 latin2"),
        iso8859(3, "csisolatin3 iso-ir-109 iso_8859-3:1988 l3 latin3"),
        iso8859(4, "csisolatin4 iso-ir-110 iso_8859-4:1988 l4 latin4"),
        iso8859(10, "csisolatin6 iso-ir-157 l6 latin6"),
        iso8859(13),
        iso8859(14),
        iso8859(15, "csisolatin9 l9"),
        iso8859(16),
        row("macintosh", as: LibraryEncoding("MACINTOSH"), "csmacintosh mac x-mac-roman"),
    ]

    private static let cyrillic: [Row] = [
        row("ibm866", as: LibraryEncoding("IBM866"), "866 cp866 csibm866"),
        iso8859(5, "csisolatincyrillic cyrillic iso-ir-144 iso_8859-5:1988"),
        row("koi8-r", as: LibraryEncoding("KOI8-R"), "cskoi8r koi koi8 koi8_r"),
        row("koi8-u", as: LibraryEncoding("KOI8-U"), "koi8-ru"),
        row("x-mac-cyrillic", as: LibraryEncoding("MAC-UK"), "x-mac-ukrainian"),
    ]

    private static let otherAlphabets: [Row] = [
        iso8859(
            6,
            """
            arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127 \
            iso_8859-6:1987
            """),
        iso8859(7, "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso_8859-7:1987 sun_eu_greek"),
        iso8859(
            8,
            """
            csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8-e iso-8859-8-i iso-ir-138 iso_8859-8:1988 \
            logical visual
            """),
        windows(874, "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"),
    ]

    private static let windows: [Row] = [
        windows(1250), windows(1251), windows(1253),
        windows(1254, "csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5"),
        windows(1255), windows(1256), windows(1257), windows(1258),
    ]

    private static let eastAsian: [Row] = [
        row(
            "gbk", as: LibraryEncoding("GB18030"),
            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk"),
        row("gb18030", as: LibraryEncoding("GB18030")),
        row("big5", as: LibraryEncoding("BIG5-HKSCS"), "big5-hkscs cn-big5 csbig5 x-x-big5"),
        row("euc-jp", as: LibraryEncoding("EUC-JP-MS"), "cseucpkdfmtjapanese x-euc-jp"),
        row("iso-2022-jp", as: LibraryEncoding("ISO-2022-JP", .escaped), "csiso2022jp"),
        row(
            "shift_jis", as: LibraryEncoding("CP932"),
            "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis"),
        row(
            "euc-kr", as: LibraryEncoding("UHC"),
            """
            cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
            """),
    ]
}

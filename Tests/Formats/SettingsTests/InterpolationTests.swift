import ErrandSupport
import Testing

@testable import ErrandSettings

@Suite("Interpolation")
struct InterpolationTests {
    static let environment = [
        "NAME": "value", "EMPTY": "", "_X1": "x", "NESTED": "${NAME}", "WAIT": "5s", "NULL": "null",
    ]
    static let files = [
        "/run/secret": "s3cret\n", "/crlf": "a\r\n", "/two": "a\n\n", "/none": "a", "/bad": "\u{FFFD}", "/empty": "",
        "/a b": "c",
    ]

    static let good: [(String, String)] = [
        ("plain", "plain"), ("", ""), ("${NAME}", "value"), ("a${NAME}b${_X1}c", "avaluebxc"), ("${EMPTY}", ""),
        ("${EMPTY:-default}", "default"), ("${MISSING:-default}", "default"), ("${NAME:-default}", "value"),
        ("${MISSING:-}", ""), ("${MISSING:-a:-b $$ {}", "a:-b $$ {"), ("${NESTED}", "${NAME}"), ("$$", "$"),
        ("$${NAME}", "${NAME}"), ("$$$$", "$$"), ("$$${NAME}", "$value"), ("100 $$", "100 $"),
        ("${file:/run/secret}", "s3cret"), ("${file:/crlf}", "a"), ("${file:/two}", "a\n"), ("${file:/none}!", "a!"),
        ("${file:/empty}", ""), ("${file:/a b}", "c"), ("é${NAME}é", "évalueé"),
    ]

    @Test("Variables, defaults, files and dollar signs are inserted once", arguments: good)
    func expands(text: String, expected: String) throws {
        var interpolation = Interpolation(environment: Self.environment) { path in
            guard let text = Self.files[path] else { throw MissingFile() }
            return Array(text.utf8)
        }
        let expanded = try interpolation.expand(text)
        #expect(expanded.text == expected)
    }

    static let bad: [(String, String)] = [
        ("${MISSING}", "the environment variable MISSING is not set; set it, or write ${MISSING:-default}"),
        ("$NAME", "expected ${NAME} after $; write $$ for a dollar sign"),
        ("costs 5$", "expected ${NAME} after $; write $$ for a dollar sign"),
        ("${NAME", "expected } after ${; write $$ for a dollar sign"),
        ("${}", "expected ${NAME}, ${NAME:-default} or ${file:/path}"),
        ("${1A}", "expected ${NAME}, ${NAME:-default} or ${file:/path}"),
        ("${A-B}", "expected ${NAME}, ${NAME:-default} or ${file:/path}"),
        ("${NAME:=x}", "expected ${NAME}, ${NAME:-default} or ${file:/path}"),
        ("${ NAME }", "expected ${NAME}, ${NAME:-default} or ${file:/path}"),
        ("${NÄME}", "expected ${NAME}, ${NAME:-default} or ${file:/path}"),
        ("${MISSING:-${NAME}}", "a default cannot contain ${…}"),
        ("${NAME:-a${MISSING:-b}c}", "a default cannot contain ${…}"),
        ("${MISSING:-$${NAME}}", "a default cannot contain ${…}"),
        ("${${NAME}}", "expected ${NAME}, ${NAME:-default} or ${file:/path}"),
        ("${file:/run/${NAME}}", "a path in ${file:…} cannot contain ${…}"),
        ("${file:}", "expected a path after ${file:"),
        ("${file:/missing}", "cannot read the file /missing: No such file or directory"),
    ]

    @Test("Failed interpolation is reported with its location", arguments: bad)
    func refuses(text: String, message: String) {
        let problems = Sample.problems("names:\n- '\(text)'\n", environment: Self.environment, files: Self.files)
        #expect(problems == ["a.yaml:2:3: names[0]: \(message)"])
    }

    @Test("An inserted file must be UTF-8 and not too large")
    func files() {
        func failure(_ bytes: [UInt8]) -> String? {
            var interpolation = Interpolation(environment: [:]) { _ in bytes }
            do throws(Interpolation.Failure) {
                _ = try interpolation.expand("${file:/f}")
                return nil
            } catch {
                return error.message
            }
        }
        #expect(failure([0xFF]) == "the file /f is not UTF-8")
        #expect(failure(Array(repeating: 0x61, count: 1 << 20)) == nil)
        #expect(failure(Array(repeating: 0x61, count: 1 << 20 + 1)) == "the file /f has more than 1048576 bytes")
    }

    /// The message about too many bytes with the default limit.
    static let exhaustion = "all values with ${…} together have more than 16777216 bytes"

    @Test("A few lines cannot fill the memory with the contents of files")
    func budget() {
        let items = Array(repeating: "'${file:/big}'", count: 17).joined(separator: ", ")
        let files = ["/big": String(repeating: "a", count: 1 << 20)]
        let problems = Sample.problems("names: [\(items)]", files: files)
        #expect(problems.contains { $0.hasSuffix("names[16]: \(Self.exhaustion)") })
    }

    @Test("One scalar with a file a thousand times ends at the limit, and the file is read once")
    func oneScalar() {
        let reads = EventLog<String>()
        var interpolation = Interpolation(environment: [:]) { path in
            reads.append(path)
            return [UInt8](repeating: 0x61, count: 1 << 20)
        }
        var message: String?
        do throws(Interpolation.Failure) {
            _ = try interpolation.expand(String(repeating: "${file:/big}", count: 1_000))
        } catch {
            message = error.message
        }
        #expect(message == Self.exhaustion)
        #expect(interpolation.isExhausted)
        #expect(reads.events == ["/big"])
    }

    @Test("The limit is that of all texts together, to the byte, and what a wrong text has inserted counts")
    func limit() {
        var interpolation = Interpolation(environment: ["FIVE": "12345"], maxBytes: 20) { _ in throw MissingFile() }
        func expand(_ text: String) -> String? {
            do throws(Interpolation.Failure) {
                return try interpolation.expand(text).text
            } catch {
                return nil
            }
        }
        #expect(expand("${FIVE}$$") == "12345$")
        #expect(expand("${FIVE}${MISSING}") == nil)
        #expect(!interpolation.isExhausted)
        #expect(expand("${FIVE}abcd") == "12345abcd")
        #expect(expand("$$") == nil)
        #expect(interpolation.isExhausted)
        #expect(expand("") == nil)
    }

    @Test("After too much was inserted, no file is read, and nothing but that is reported")
    func exhausted() {
        let reads = EventLog<String>()
        let loader = SettingLoader(environment: [:]) { path in
            reads.append(path)
            return [UInt8](repeating: 0x61, count: 1 << 20)
        }
        let many = String(repeating: "${file:/big}", count: 17)
        let yaml = "names: ['\(many)', '${file:/other}', '${MISSING}']\nwait: '${MISSING}'\n"
        let error = #expect(throws: ConfigurationError.self) {
            _ = try loader.load(Array(yaml.utf8), file: "a.yaml", as: SampleSettings.settings)
        }
        #expect(error?.description == "a.yaml:1:9: names[0]: \(Self.exhaustion)")
        #expect(reads.events == ["/big"])
    }

    @Test("A file is read once: all settings see one version of it, and a failure is waited for once")
    func versions() throws {
        let reads = EventLog<String>()
        let loader = SettingLoader(environment: [:]) { path in
            reads.append(path)
            guard path == "/rotated" else { throw MissingFile() }
            return Array("version \(reads.events.count)".utf8)
        }
        let settings = try loader.load(
            Array("names: ['${file:/rotated}', 'a ${file:/rotated}']".utf8), file: "a.yaml",
            as: SampleSettings.settings)
        #expect(settings.root.names == ["version 1", "a version 1"])
        let error = #expect(throws: ConfigurationError.self) {
            _ = try loader.load(
                Array("names: ['${file:/late}', '${file:/late}']".utf8), file: "a.yaml", as: SampleSettings.settings)
        }
        #expect(error?.problems.count == 2)
        #expect(reads.events == ["/rotated", "/late"])
    }

    @Test("Inserted text is typed like written text, and null if it is an empty default without quotes")
    func typed() throws {
        let settings = try Sample.read(
            "wait: '${WAIT}'\ntitle: ${UNSET:-}\n", environment: Self.environment)
        #expect(settings.wait == .seconds(5))
        #expect(settings.title == nil)
        #expect(try Sample.read("title: '${NULL}'", environment: Self.environment).title == "null")
    }

    static let empty: [(String, String?)] = [
        ("${EMPTY}", emptyVariable), ("${UNSET:-}${EMPTY}", emptyVariable), ("${EMPTY}${file:/empty}", emptyVariable),
        ("${file:/empty}", emptyFile("/empty")), ("${file:/line}", emptyFile("/line")),
        // What an empty text means is decided by the file itself, or by the setting.
        ("${EMPTY:-}", nil), ("${UNSET:-}${EMPTY:-}", nil), ("", nil), ("${EMPTY}${NAME}", nil), ("a${EMPTY}b", nil),
    ]

    private static let emptyVariable =
        "the environment variable EMPTY is empty; give it a value, or write ${EMPTY:-} if it may be empty"

    private static func emptyFile(_ path: String) -> String {
        "the file \(path) is empty; give it content, or write \"${file:\(path)}\", with quotes, if it may be empty"
    }

    @Test("A variable or file without text does not make a value null", arguments: empty)
    func emptiness(text: String, message: String?) {
        let files = Self.files.merging(["/line": "\n"]) { first, _ in first }
        let problems = Sample.problems("title: \(text)\n", environment: Self.environment, files: files)
        #expect(problems == (message.map { ["a.yaml:1:8: title: \($0)"] } ?? []))
    }

    @Test("An empty text in quotes is judged by the setting, as one that is written", arguments: ["\"", "'"])
    func quoted(mark: String) {
        let expected = ["a.yaml:1:8: title: expected text, found another value in \"${EMPTY}\""]
        let problems = Sample.problems("title: \(mark)${EMPTY}\(mark)\n", environment: Self.environment)
        #expect(problems == expected)
    }

    @Test("Inserted text is not shown, because it may be a secret in the wrong place")
    func secrets() {
        let problems = Sample.problems(
            "wait: 'x${NAME}'\nsecret: '${NAME}'",
            environment: Self.environment)
        #expect(
            problems == [
                "a.yaml:1:7: wait: expected a duration such as 30s, found another value in \"x${NAME}\"",
                "a.yaml:2:9: secret: expected at least 16 characters",
            ])
    }

    @Test("Failed interpolation behind an alias is reported once")
    func alias() {
        let problems = Sample.problems("names: [&h '${MISSING}', *h]\n")
        #expect(problems.count == 1)
    }

    @Test("At most a thousand failed interpolations are reported, together with duplicate keys")
    func many() {
        let items = (0..<1500).map { "'${MISSING_\($0)}'" }.joined(separator: ", ")
        let titles = Array(repeating: "title: a", count: 1501).joined(separator: "\n")
        for yaml in ["names: [\(items)]", titles, "\(titles)\nnames: [\(items)]"] {
            let problems = Sample.problems(yaml)
            #expect(problems.count == 1001)
            #expect(problems.last?.hasSuffix(": further problems are not listed") == true)
        }
    }

    @Test("Keys are not interpolated")
    func keys() {
        let problems = Sample.problems("${NAME}: 1", environment: Self.environment)
        #expect(problems == ["a.yaml:1:1: \"${NAME}\": unknown setting"])
    }
}

import ErrandSettings
import ErrandSupport
import ErrandYAML
import Foundation
import Testing

@testable import ErrandConfiguration

@Suite("Schedules of the configuration")
struct ScheduleSettingsTests {
    private static func task(_ yaml: String, environment: [String: String] = [:]) throws -> ScheduledTask {
        let text = "schedules:\n  s:\n    cron: '@daily'\n    task:\n" + yaml
        return try #require(try Sample.read(text, environment: environment).schedules.first?.task)
    }

    @Test("A schedule skips missed times and uses UTC by default")
    func defaults() throws {
        let schedules = try Sample.read(
            """
            schedules:
              morning: {cron: 30 6 * * MON-FRI, task: {session: a}}
              night: {cron: "@daily", time_zone: Europe/Berlin, missed: run_once, task: {}}
            """
        ).schedules
        #expect(schedules.map(\.name) == ["morning", "night"])
        #expect(schedules.map(\.cron) == ["30 6 * * MON-FRI", "@daily"])
        #expect(schedules.map(\.timeZone) == ["UTC", "Europe/Berlin"])
        #expect(schedules.map(\.missed) == [.skip, .runOnce])
        #expect(schedules.map { String(decoding: $0.task.document, as: UTF8.self) } == [#"{"session":"a"}"#, "{}"])
        #expect(try Sample.read("{}").schedules.isEmpty)
    }

    @Test("Unquoted values of a task are typed, quoted ones are text")
    func values() throws {
        let task = try Self.task(
            """
                  parameters:
                    nothing: [null, ~]
                    empty:
                    flags: [true, False, "true", yes, off]
                    numbers: [1, -7, +3, 007, 1.10, .5, 5., 1e3, 1E-3, -0, 0x1F, 0o17, 19999999999999999999]
                    text: ["1", '2', 1_000, 1.2.3, 2026-11-21, 12:30, 0x, -, ., e5, one two, 5\u{301}]
                  body: {text: a}
            """)
        #expect(
            String(decoding: task.document, as: UTF8.self)
                == #"{"parameters":{"nothing":[null,null],"empty":null,"flags":[true,false,"true","yes","off"],"#
                + #""numbers":[1,-7,3,7,1.10,0.5,5,1e3,1e-3,-0,31,15,19999999999999999999],"#
                + #""text":["1","2","1_000","1.2.3","2026-11-21","12:30","0x","-",".","e5","one two","5\#u{301}"]},"#
                + #""body":{"text":"a"}}"#)
    }

    @Test("Octal and hexadecimal numbers have up to 64 bits, and other text with their prefix is text")
    func prefixedNumbers() throws {
        let task = try Self.task(
            """
                  numbers: [0xFFFFFFFFFFFFFFFF, 0o1777777777777777777777]
                  text: ["0x10000000000000000", 0x1000000000000000g, 0o8, 0x-1, -0x1]
            """)
        let numbers = #""numbers":[18446744073709551615,18446744073709551615]"#
        let text = #""text":["0x10000000000000000","0x1000000000000000g","0o8","0x-1","-0x1"]"#
        #expect(String(decoding: task.document, as: UTF8.self) == "{\(numbers),\(text)}")
    }

    @Test("Interpolated values and headers that look secret are never shown")
    func secrets() throws {
        let yaml = """
                  headers: {Authorization: Bearer abc, X-Api-Key: zyx, Accept: text/plain, X-Trace: "${TRACE}"}
                  body: {json: {password: "${PASSWORD}", name: me}}
            """
        let environment = ["TRACE": "t-1", "PASSWORD": "hunter2"]
        let task = try Self.task(yaml, environment: environment)
        #expect(
            String(decoding: task.document, as: UTF8.self)
                == #"{"headers":{"Authorization":"Bearer abc","X-Api-Key":"zyx","Accept":"text/plain","X-Trace":"t-1"},"#
                + #""body":{"json":{"password":"hunter2","name":"me"}}}"#)
        #expect(
            String(decoding: task.shown, as: UTF8.self)
                == #"{"headers":{"Authorization":"[redacted]","X-Api-Key":"[redacted]","Accept":"text/plain","#
                + #""X-Trace":"[redacted]"},"body":{"json":{"password":"[redacted]","name":"me"}}}"#)
        let text = "schedules:\n  s:\n    cron: '@daily'\n    task:\n" + yaml
        let printed = ConfigurationPrinter.yaml(try Sample.read(text, environment: environment))
        for secret in ["Bearer abc", "zyx", "t-1", "hunter2"] { #expect(!printed.contains(secret)) }
        #expect(printed.contains("name: me"))
        #expect(try Sample.read(printed).schedules.map(\.cron) == ["@daily"], "it can be read again")
    }

    private static let tooLong = "the number has more than 64 bits; write it in decimal digits, or quote it"

    static let rows = [
        ProblemRow(
            "schedules:\n  Night: {cron: '@daily', task: {}}\n",
            "2:3: schedules.Night: expected a name: a lower-case letter, then up to 63 lower-case letters, digits, _ and -"
        ),
        ProblemRow("schedules:\n  s: {}\n", "2:6: schedules.s: cron is required", "2:6: schedules.s: task is required"),
        ProblemRow(
            "schedules:\n  s:\n    cron: 0 24 * * *\n    task: {}\n",
            "3:11: schedules.s.cron: column 3: the hour must be 0 to 23, found 24"),
        ProblemRow(
            "schedules:\n  s:\n    cron: '@daily'\n    time_zone: CET\n    missed: twice\n    task: [a]\n",
            "4:16: schedules.s.time_zone: expected a time zone of the IANA database with an area, such as Europe/Berlin, or UTC, found \"CET\"",
            "5:13: schedules.s.missed: expected skip or run_once, found \"twice\"",
            "6:11: schedules.s.task: expected a mapping, found a list"),
        ProblemRow(
            "schedules:\n  s:\n    cron: '@daily'\n    every: 5m\n    task: {parameters: {a: [1, .inf]}}\n",
            "4:5: schedules.s.every: unknown setting",
            "5:32: schedules.s.task.parameters.a[1]: JSON has no such number; quote it to make it a string"),
        ProblemRow(
            "schedules:\n  s:\n    cron: '@daily'\n"
                + "    task: {parameters: [0x10000000000000000, 0o2000000000000000000000]}\n",
            "4:25: schedules.s.task.parameters[0]: \(tooLong)", "4:46: schedules.s.task.parameters[1]: \(tooLong)"),
    ]

    @Test("Problems are reported with their location", arguments: rows)
    func problems(row: ProblemRow) {
        row.check()
    }

    @Test("A secret in the place of an expression is not repeated")
    func misplacedSecret() {
        let problems = Sample.problems(
            "schedules: {s: {cron: '${TOKEN}', task: {}}}", environment: ["TOKEN": "hunter2"])
        #expect(problems.count == 1)
        #expect(problems.first?.contains("hunter2") == false)
    }

    @Test("A fault of the task is located at its pointer, or at the nearest existing node")
    func places() throws {
        let task = try Self.task("      session: a\n      body:\n        parts:\n          - {name: x}\n")
        let places = [
            [], ["session"], ["body", "parts", "0"], ["body", "parts", "0", "name"], ["body", "parts", "0", "text"],
            ["path"],
        ].map { task.problem(of: "s", at: $0, "no").text(file: "f") }
        #expect(
            places == [
                "f:5:7: schedules.s.task: no", "f:5:16: schedules.s.task.session: no",
                "f:8:13: schedules.s.task.body.parts[0]: no", "f:8:20: schedules.s.task.body.parts[0].name: no",
                "f:8:13: schedules.s.task.body.parts[0].text: no", "f:5:7: schedules.s.task.path: no",
            ])
    }

    @Test("A reload reports added, removed and changed schedules")
    func reload() throws {
        let yaml = "schedules: {a: {cron: '@daily', task: {path: x}}, b: {cron: '@daily', task: {}}}"
        let inForce = try Sample.read(yaml)
        let text = "schedules: {a: {cron: '@daily', task: {path: y}}, c: {cron: '@daily', task: {}}}"
        let reloaded = try Sample.loader().load(Array(text.utf8), file: "f", replacing: inForce)
        #expect(reloaded.changed == ["schedules.a", "schedules.c", "schedules.b"])
        let moved = yaml.replacing("schedules: ", with: "\n\nschedules:\n  ")
        #expect(try Sample.loader().load(Array(moved.utf8), file: "f", replacing: inForce).changed.isEmpty)
    }
}

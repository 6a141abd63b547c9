import ErrandTime

/// A recurring time by the wall clock of a time zone: `30 2 * * MON-FRI`.
///
/// It has five fields, separated by spaces or tabs: minute (0–59), hour (0–23), day of the month (1–31), month (1–12 or
/// JAN–DEC) and day of the week (0–7 or SUN–SAT; 0 and 7 are Sunday). A field is a comma-separated list of items: a
/// value, a range `1-5`, or `*` for all; a range or `*` may have a step, `*/15`. In the two day fields `?` is the same
/// as `*`. Names are case-insensitive. Instead of the fields, the expression may be `@yearly` (or `@annually`),
/// `@monthly`, `@weekly`, `@daily` (or `@midnight`) or `@hourly`.
///
/// The day has to match *one* of the two day fields if both are restricted, otherwise both of them; a field is
/// restricted unless it begins with `*` or `?`. This is the rule of Vixie's cron (crontab(5)).
///
/// Two expressions are equal if their texts are.
package struct CronExpression: Sendable, Hashable, CustomStringConvertible {
    /// The text of the expression.
    package let description: String
    let minute: CronField
    let hour: CronField
    let dayOfMonth: CronField
    let month: CronField
    let dayOfWeek: CronField

    /// The longest text, in bytes.
    package static let maxBytes = 1024

    private static let nicknames = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    /// Parses an expression.
    ///
    /// - Throws: ``CronError`` with the fault; also for an expression that never matches, such as 31 February.
    package init(_ text: String) throws(CronError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw CronError(column: 1, reason: "an expression has at most \(Self.maxBytes) bytes")
        }
        var fields = Self.fields(of: text)
        if let first = fields.first, first.text.first == "@" {
            guard fields.count == 1, let meaning = Self.nicknames[first.text.lowercased()] else {
                let known = Self.nicknames.keys.sorted().joined(separator: ", ")
                throw CronError(column: first.column, reason: "expected one of \(known) with no fields")
            }
            fields = Self.fields(of: meaning)
        }
        let kinds = CronFieldKind.allCases
        guard fields.count == kinds.count else {
            throw CronError(
                column: fields.count > kinds.count ? fields[kinds.count].column : text.count + 1,
                reason: """
                    expected five fields: minute, hour, day of the month, month, day of the week; found \(fields.count)
                    """)
        }
        var read: [CronField] = []
        for (kind, field) in zip(kinds, fields) {
            var reader = CronFieldReader(kind, field.text, column: field.column)
            read.append(try reader.read())
        }
        description = text
        (minute, hour, dayOfMonth, month, dayOfWeek) = (read[0], read[1], read[2], read[3], read[4])
        guard hasDays else {
            throw CronError(column: fields[2].column, reason: "none of the months has this day: it never matches")
        }
    }

    private static func fields(of text: String) -> [(text: Substring, column: Int)] {
        text.split { $0 == " " || $0 == "\t" }.map { field in
            (field, text.distance(from: text.startIndex, to: field.startIndex) + 1)
        }
    }

    /// True if a matching day exists in some year.
    private var hasDays: Bool {
        // Every day of the year falls on every day of the week in some year.
        if takesEitherDay { return true }
        guard let day = dayOfMonth.first() else { return false }
        // The year 2000 had a leap day.
        return (1...12).contains { month.contains($0) && day <= CivilDate.length(ofMonth: Int64($0), year: 2000) }
    }

    /// True if the day has to match only one of the two day fields.
    private var takesEitherDay: Bool { !dayOfMonth.isStar && !dayOfWeek.isStar }

    /// True if the expression matches in every hour, so that its times are at most an hour apart.
    var isForEveryHour: Bool { (0...23).allSatisfy(hour.contains) }

    /// Returns true if a day matches.
    func matches(_ date: CivilDate) -> Bool {
        let isDay = dayOfMonth.contains(Int(date.day))
        let isWeekday = dayOfWeek.contains(Int(date.weekday))
        return month.contains(Int(date.month)) && (takesEitherDay ? isDay || isWeekday : isDay && isWeekday)
    }
}

/// A fault of a cron expression.
package struct CronError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The start of the fault, in characters from 1.
    package let column: Int
    /// The explanation for people.
    package let reason: String

    /// The column and the reason: `column 3: the hour must be 0 to 23, found 24`.
    package var description: String { "column \(column): \(reason)" }
}

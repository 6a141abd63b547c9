import ErrandCron
import ErrandSettings
import ErrandTimeZones

extension SettingType where Value == String {
    /// The type of a cron expression, kept as it was written.
    static var cron: SettingType {
        let shape = ScalarShape(label: "cron expression", expectation: "a cron expression such as 30 6 * * MON-FRI")
        return SettingType(
            shape: .scalar(shape),
            read: { node, _, reader in
                guard let node, let scalar = reader.scalar(of: node, expecting: shape) else { return nil }
                do throws(CronError) {
                    return try CronExpression(scalar.text).description
                } catch {
                    // The reason quotes the text, so interpolated text gets a message without it.
                    reader.report(
                        reader.isInterpolated(node)
                            ? "expected \(shape.expectation), found \(scalar.shown)" : error.description)
                    return nil
                }
            },
            write: { .text($0) })
    }

    /// The type of a time zone name.
    static var timeZone: SettingType {
        .scalar(
            ScalarShape(
                label: "time zone",
                expectation: "a time zone of the IANA database with an area, such as Europe/Berlin, or UTC"),
            parse: { text throws(ScalarRefusal) in
                guard NamedZone(text) != nil else { throw .unexpected }
                return text
            },
            format: { .text($0) })
    }
}

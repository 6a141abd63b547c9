import ErrandCron
import ErrandTime

/// An instant in the form `2026-03-29T01:00Z`.
struct Moment: Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    var seconds: Int64

    init(seconds: Int64) {
        self.seconds = seconds
    }

    init(stringLiteral text: String) {
        let numbers = text.split { !$0.isNumber }.compactMap { Int64($0) } + [0, 0, 0]
        guard let day = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]) else {
            preconditionFailure("\(text) is no day")
        }
        seconds = day.daysSince1970 * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
    }

    var description: String {
        let days = CivilDate.floorDivide(seconds, by: 86_400)
        let (date, rest) = (CivilDate(daysSince1970: days), seconds - days * 86_400)
        return "\(date.year)-\(date.month)-\(date.day) \(rest / 3600):\(rest % 3600 / 60):\(rest % 60)Z"
    }
}

/// A time zone whose offset changes at given instants.
struct ScriptedZone: ZoneRules {
    var first: Int64
    /// The changes in order, each with the offset from then on.
    var changes: [(at: Int64, offset: Int64)]

    func offset(at instant: Int64) -> Int64 {
        changes.last { $0.at <= instant }?.offset ?? first
    }

    func nextChange(after instant: Int64, before end: Int64) -> Int64? {
        changes.first { $0.at > instant && $0.at <= end }?.at
    }
}

extension CronExpression {
    /// Returns the first times after an instant.
    func times(_ count: Int, after start: Moment, in zone: some ZoneRules = FixedOffset.utc) -> [Moment] {
        var times: [Moment] = []
        var last = start.seconds
        while times.count < count, let next = next(after: last, in: zone) {
            times.append(Moment(seconds: next))
            last = next
        }
        return times
    }
}

/// What the fields of an expression are, in their order.
enum CronFieldKind: CaseIterable {
    case minute
    case hour
    case dayOfMonth
    case month
    case dayOfWeek

    /// What it is called in messages.
    var name: String {
        switch self {
        case .minute: "minute"
        case .hour: "hour"
        case .dayOfMonth: "day of the month"
        case .month: "month"
        case .dayOfWeek: "day of the week"
        }
    }

    /// The values that may be written; for days of the week 7 is Sunday as 0 is.
    var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 0...7
        }
    }

    /// What `*` stands for.
    var all: ClosedRange<Int> { self == .dayOfWeek ? 0...6 : range }

    /// Whether a `?` may stand for `*`.
    var isDay: Bool { self == .dayOfMonth || self == .dayOfWeek }

    /// Words for values, in capitals; the first one is for the lower end of the range.
    var words: [String] {
        switch self {
        case .minute, .hour, .dayOfMonth: []
        case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
        }
    }
}

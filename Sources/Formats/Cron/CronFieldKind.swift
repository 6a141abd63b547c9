/// The fields of an expression, in their order.
enum CronFieldKind: CaseIterable {
    case minute
    case hour
    case dayOfMonth
    case month
    case dayOfWeek

    /// The name of the field in messages.
    var name: String {
        switch self {
        case .minute: "minute"
        case .hour: "hour"
        case .dayOfMonth: "day of the month"
        case .month: "month"
        case .dayOfWeek: "day of the week"
        }
    }

    /// The range of allowed values; in the day of the week both 0 and 7 are Sunday.
    var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 0...7
        }
    }

    /// The values of `*`.
    var all: ClosedRange<Int> { self == .dayOfWeek ? 0...6 : range }

    /// A Boolean value that indicates whether `?` is allowed as `*`.
    var isDay: Bool { self == .dayOfMonth || self == .dayOfWeek }

    /// The names of values, in upper case; the first one is that of the lower end of the range.
    var words: [String] {
        switch self {
        case .minute, .hour, .dayOfMonth: []
        case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
        }
    }
}

import ErrandTime

/// The search for the next time of an expression.
///
/// At changes of the clock, two rules ensure that nothing is skipped and nothing runs twice:
///
/// - An expression that names hours means times of the day. A time that the clock skips matches the first instant after
///   the gap, several of them together; a time that the clock shows twice matches the first instant.
/// - An expression for every hour means elapsed time. It matches whenever the clock shows such a minute: twice in an
///   hour that is repeated, and not at all in an hour that is skipped.
extension CronExpression {
    /// The search limit: 29 February on a certain day of the week may be 40 years away.
    private static let horizonSeconds: Int64 = 41 * 366 * 86_400

    /// Returns the first time after an instant.
    ///
    /// The search does not try each minute: it steps over months and days that do not match.
    ///
    /// - Parameters:
    ///   - instant: Seconds since 1970, as is the result, which is always at the start of a minute of the zone's clock
    ///     or at the end of a gap.
    ///   - zone: The time zone of the expression.
    /// - Returns: `nil` if there is no time within 41 years.
    package func next(after instant: Int64, in zone: some ZoneRules) -> Int64? {
        isForEveryHour ? nextByElapsedTime(after: instant, in: zone) : nextByWallClock(after: instant, in: zone)
    }

    /// Returns the first instant whose wall time matches, for an expression for every hour.
    private func nextByElapsedTime(after instant: Int64, in zone: some ZoneRules) -> Int64? {
        let end = instant + Self.horizonSeconds
        var start = instant + 1
        while start < end {
            // In a period without changes of the offset, wall time is elapsed time.
            let offset = zone.offset(at: start)
            let change = zone.nextChange(after: start, before: end) ?? end
            if let wall = firstMatch(from: start + offset, before: change + offset) { return wall - offset }
            start = change
        }
        return nil
    }

    /// Returns the first matching wall time with a later instant, for an expression that names hours.
    ///
    /// Later wall times never have earlier instants, and the clock's wall time at an instant is not later than the
    /// instant.
    private func nextByWallClock(after instant: Int64, in zone: some ZoneRules) -> Int64? {
        let start = instant + zone.offset(at: instant)
        var wall = start
        while let match = firstMatch(from: wall, before: start + Self.horizonSeconds) {
            let meant = Self.instant(of: match, in: zone)
            if meant > instant { return meant }
            wall = match + 60
        }
        return nil
    }

    /// Returns the first instant at which a clock shows a wall time or a later one.
    private static func instant(of wall: Int64, in zone: some ZoneRules) -> Int64 {
        // This is before every instant at which any clock can show the wall time.
        var start = wall - 26 * 3600
        while true {
            let wanted = max(wall - zone.offset(at: start), start)
            guard let change = zone.nextChange(after: start, before: wanted) else { return wanted }
            start = change
        }
    }

    // MARK: Wall time

    /// Returns the first matching minute in a range, as seconds of wall time since 1970.
    private func firstMatch(from start: Int64, before end: Int64) -> Int64? {
        let minutes = CivilDate.floorDivide(start + 59, by: 60)
        var day = CivilDate.floorDivide(minutes, by: 1440)
        var time = Int(minutes - day * 1440)
        while day * 86_400 < end {
            let date = CivilDate(daysSince1970: day)
            if !month.contains(Int(date.month)) {
                day += CivilDate.length(ofMonth: date.month, year: date.year) - date.day + 1
            } else if matches(date), let minute = firstMinute(from: time) {
                let match = (day * 1440 + Int64(minute)) * 60
                return match < end ? match : nil
            } else {
                day += 1
            }
            time = 0
        }
        return nil
    }

    /// Returns the first matching minute of a day, not before a given minute.
    private func firstMinute(from time: Int) -> Int? {
        guard let hour = hour.first(from: time / 60) else { return nil }
        let isLater = hour > time / 60
        if let minute = minute.first(from: isLater ? 0 : time % 60) { return hour * 60 + minute }
        guard let next = self.hour.first(from: hour + 1), let minute = minute.first() else { return nil }
        return next * 60 + minute
    }
}

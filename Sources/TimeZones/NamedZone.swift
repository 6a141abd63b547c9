import Cron
// Zones with names are not in FoundationEssentials.
import Foundation

/// A time zone of the IANA database, by its name.
///
/// The data is that of Swift's Foundation, which comes with the program: what it knows of future changes is as old as the
/// toolchain that the program was built with. Any thread.
package struct NamedZone: ZoneRules, Hashable {
    /// The name, as it was given.
    package let name: String
    private let zone: TimeZone

    /// The longest name, in bytes.
    private static let maxNameBytes = 64

    /// Finds a zone; `nil` when there is none of that name.
    ///
    /// Taken are names of the form `Area/Place`, in their own spelling, and `UTC` and `GMT`: no abbreviations, which mean
    /// several zones, and no offsets. All of it counts: what reads the data stops at a NUL.
    package init?(_ name: String) {
        let isPlace = name.contains("/") && !name.hasPrefix("SystemV/")
        guard name.utf8.count <= Self.maxNameBytes, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            isPlace || name == "UTC" || name == "GMT",
            let zone = TimeZone(identifier: name)
        else { return nil }
        self.name = name
        self.zone = zone
    }

    /// Names to choose from, for suggestions: not all that there are.
    package static var someNames: [String] { TimeZone.knownTimeZoneIdentifiers }

    package func offset(at instant: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(instant))))
    }

    package func nextChange(after instant: Int64, before end: Int64) -> Int64? {
        let start = Date(timeIntervalSince1970: TimeInterval(instant))
        guard let change = zone.nextDaylightSavingTimeTransition(after: start) else { return nil }
        // Changes are on whole seconds.
        let next = Int64(change.timeIntervalSince1970.rounded())
        return next > instant && next <= end ? next : nil
    }
}

import ErrandCron
import ErrandTimeZones
import Foundation
import Testing

@Suite("Time zones by name")
struct NamedZoneTests {
    struct ZoneRow: CustomTestStringConvertible {
        var expression: String
        var zone: String
        var start: String
        var times: [String]

        init(_ expression: String, _ zone: String, _ start: String, _ times: String...) {
            (self.expression, self.zone, self.start, self.times) = (expression, zone, start, times)
        }

        var testDescription: String { "\(expression) in \(zone) from \(start)" }
    }

    // From Python's zoneinfo, by a test of each minute.
    static let rows = [
        ZoneRow(
            "30 2 * * *", "Europe/Berlin", "2026-03-27", "2026-03-27T01:30Z", "2026-03-28T01:30Z", "2026-03-29T01:00Z",
            "2026-03-30T00:30Z", "2026-03-31T00:30Z"),
        ZoneRow(
            "30 2 * * *", "Europe/Berlin", "2026-10-23", "2026-10-23T00:30Z", "2026-10-24T00:30Z", "2026-10-25T00:30Z",
            "2026-10-26T01:30Z", "2026-10-27T01:30Z"),
        ZoneRow(
            "0 * * * *", "Europe/Berlin", "2026-03-28T23:00", "2026-03-28T23:00Z", "2026-03-29T00:00Z",
            "2026-03-29T01:00Z", "2026-03-29T02:00Z", "2026-03-29T03:00Z"),
        ZoneRow(
            "0 * * * *", "Europe/Berlin", "2026-10-24T23:00", "2026-10-24T23:00Z", "2026-10-25T00:00Z",
            "2026-10-25T01:00Z", "2026-10-25T02:00Z", "2026-10-25T03:00Z"),
        ZoneRow(
            "*/20 2 * * *", "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T01:00Z", "2026-03-30T00:00Z",
            "2026-03-30T00:20Z", "2026-03-30T00:40Z"),
        ZoneRow(
            "*/20 2 * * *", "Europe/Berlin", "2026-10-24T12:00", "2026-10-25T00:00Z", "2026-10-25T00:20Z",
            "2026-10-25T00:40Z", "2026-10-26T01:00Z", "2026-10-26T01:20Z", "2026-10-26T01:40Z"),
        ZoneRow(
            "0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T01:00Z", "2026-03-30T00:00Z",
            "2026-03-30T01:00Z"),
        ZoneRow(
            "15 1 * * *", "America/New_York", "2026-10-30", "2026-10-30T05:15Z", "2026-10-31T05:15Z",
            "2026-11-01T05:15Z", "2026-11-02T06:15Z", "2026-11-03T06:15Z"),
        ZoneRow(
            "30 2 * * *", "America/New_York", "2026-03-06", "2026-03-06T07:30Z", "2026-03-07T07:30Z",
            "2026-03-08T07:00Z", "2026-03-09T06:30Z", "2026-03-10T06:30Z"),
        ZoneRow(
            "15 2 * * *", "Australia/Lord_Howe", "2026-10-02", "2026-10-02T15:45Z", "2026-10-03T15:30Z",
            "2026-10-04T15:15Z", "2026-10-05T15:15Z"),
        ZoneRow(
            "45 1 * * *", "Australia/Lord_Howe", "2026-04-02", "2026-04-02T14:45Z", "2026-04-03T14:45Z",
            "2026-04-04T14:45Z", "2026-04-05T15:15Z", "2026-04-06T15:15Z"),
        ZoneRow(
            "*/30 * * * *", "Australia/Lord_Howe", "2026-10-03T14:00", "2026-10-03T14:00Z", "2026-10-03T14:30Z",
            "2026-10-03T15:00Z", "2026-10-03T15:30Z", "2026-10-03T16:00Z", "2026-10-03T16:30Z"),
        ZoneRow(
            "0 12 * * *", "Pacific/Apia", "2011-12-28", "2011-12-28T22:00Z", "2011-12-29T22:00Z", "2011-12-30T10:00Z",
            "2011-12-30T22:00Z", "2011-12-31T22:00Z", "2012-01-01T22:00Z"),
        ZoneRow("0 0 30 12 *", "Pacific/Apia", "2011-12-25", "2011-12-30T10:00Z", "2012-12-29T10:00Z"),
        ZoneRow(
            "0 */6 * * *", "Asia/Kathmandu", "2026-01-01", "2026-01-01T00:15Z", "2026-01-01T06:15Z",
            "2026-01-01T12:15Z", "2026-01-01T18:15Z", "2026-01-02T00:15Z"),
        ZoneRow(
            "0 0 * * *", "America/Sao_Paulo", "2018-11-02", "2018-11-02T03:00Z", "2018-11-03T03:00Z",
            "2018-11-04T03:00Z", "2018-11-05T02:00Z"),
    ]

    private static func seconds(_ text: String) throws -> Int64 {
        var text = text
        if text.count == 10 { text += "T00:00" }
        if !text.hasSuffix("Z") { text += "Z" }
        return try Int64(Date(text.dropLast() + ":00Z", strategy: .iso8601).timeIntervalSince1970)
    }

    @Test("No run is skipped or duplicated when clocks change", arguments: rows)
    func changes(row: ZoneRow) throws {
        let zone = try #require(NamedZone(row.zone))
        let expression = try CronExpression(row.expression)
        var last = try Self.seconds(row.start) - 1
        for time in row.times {
            let next = expression.next(after: last, in: zone)
            #expect(next == (try Self.seconds(time)))
            last = next ?? last
        }
    }

    @Test(
        "Names of places are known, including old ones",
        arguments: [
            "UTC", "GMT", "Etc/UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Calcutta", "America/Argentina/Buenos_Aires",
        ])
    func known(name: String) {
        #expect(NamedZone(name)?.name == name)
    }

    @Test(
        "Other names are rejected",
        arguments: [
            "", "berlin", "europe/berlin", "Europe/Berlin ", "Europe/Nowhere", "PST", "CET", "GMT+1", "UTC+3", "+01:00",
            "../etc/passwd", "Europe/../Europe/Berlin", "SystemV/PST8", String(repeating: "A/", count: 4000),
            "Europe/Berlin\0", "Europe/Ber\nlin",
        ])
    func unknown(name: String) {
        #expect(NamedZone(name) == nil)
    }

    @Test("A zone without changes has no next change")
    func constant() throws {
        let zone = try #require(NamedZone("Asia/Kathmandu"))
        #expect(zone.offset(at: 1_800_000_000) == 20_700)
        #expect(zone.nextChange(after: 1_800_000_000, before: 4_000_000_000) == nil)
    }

    @Test("Rules hold in the far future: summer time of 2199")
    func future() throws {
        let zone = try #require(NamedZone("Europe/Berlin"))
        let noon = try CronExpression("0 12 15 1,7 *")
        let winter = try #require(noon.next(after: try Self.seconds("2199-01-01"), in: zone))
        let summer = try #require(noon.next(after: winter, in: zone))
        #expect(winter == (try Self.seconds("2199-01-15T11:00")))
        #expect(summer == (try Self.seconds("2199-07-15T10:00")))
    }
}

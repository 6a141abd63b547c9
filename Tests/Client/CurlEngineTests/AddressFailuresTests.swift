import Glibc
import Testing

@testable import ErrandCurlEngine

@Suite("The failures of the addresses of a host")
struct AddressFailuresTests {
    @Test(
        "are described by one of the peer, then by one of this machine, then by a missing route, in any order",
        arguments: [
            ([], ECONNREFUSED, ECONNREFUSED), ([], EMFILE, EMFILE), ([], ENETDOWN, ENETDOWN), ([], 0, 0),
            ([ECONNREFUSED], EADDRNOTAVAIL, ECONNREFUSED), ([EADDRNOTAVAIL], ECONNREFUSED, ECONNREFUSED),
            ([ETIMEDOUT, EMFILE], EPERM, ETIMEDOUT), ([EMFILE, ETIMEDOUT], EPERM, ETIMEDOUT),
            ([ECONNREFUSED], ENETUNREACH, ECONNREFUSED), ([ENETUNREACH], ECONNREFUSED, ECONNREFUSED),
            ([EADDRNOTAVAIL], ENETUNREACH, EADDRNOTAVAIL), ([ENETUNREACH], EADDRNOTAVAIL, EADDRNOTAVAIL),
            ([EPERM], EADDRNOTAVAIL, EADDRNOTAVAIL), ([ENETUNREACH], ENETDOWN, ENETDOWN),
        ] as [([Int32], Int32, Int32)])
    func cause(earlier: [Int32], last: Int32, expected: Int32) {
        var failures = AddressFailures()
        for number in earlier { failures.add(number) }
        #expect(failures.cause(after: last) == expected)
    }

    @Test("include that of an address without a socket, of which libcurl has no number")
    func noSocket() {
        var failures = AddressFailures()
        failures.add(EMFILE)
        #expect(failures.cause(after: 0) == EMFILE)
    }

    @Test("are not those of this machine as long as one may be the peer's")
    func pending() {
        var failures = AddressFailures()
        failures.add(0)
        #expect(failures.cause(after: EADDRNOTAVAIL) == 0)
    }

    @Test("are none but for missing routes")
    func empty() {
        var failures = AddressFailures()
        failures.add(ENETUNREACH)
        #expect(failures.isEmpty)
        failures.add(EMFILE)
        #expect(!failures.isEmpty)
    }
}

import Foundation

/// Property lists from Python's `plistlib`: `plistlib.dumps(value, fmt=…, sort_keys=False)`.
enum PropertyListFixtures {
    /// All kinds of values, in the binary format.
    static let binary = decoded(
        """
        YnBsaXN0MDDfEBYBAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSowGFR0ZXh0VWFzY2lpVWVtcHR5VHplcm9Vc21h
        bGxVc2hvcnRUd29yZFhuZWdhdGl2ZVRsb25nVGh1Z2VUaGFsZlV0aGlyZFVsYXJnZVN5ZXNSbm9Ud2hlblZiZWZvcmVVYnl0ZXNUbm9uZVRs
        aXN0VGRpY3RUc2FtZWwAaADpAGwAbABvACAAPAAmAD4AINg93gBVcGxhaW5QEAAQyBHqYBLuaygAE///////////E4AAAAAAAAAAFAAAAAAA
        AAAA//////////8jP+AAAAAAAAAjP9VVVVVVVVUjfjfkPIgAdZwJCDNByFjBKAAAADPBzZQZTgAAAE8RAQAAAQIDBAUGBwgJCgsMDQ4PEBES
        ExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl9gYWJj
        ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6foKGio6SlpqeoqaqrrK2ur7CxsrO0
        tba3uLm6u7y9vr/AwcLDxMXGx8jJysvMzc7P0NHS09TV1tfY2drb3N3e3+Dh4uPk5ebn6Onq6+zt7u/w8fLz9PX29/j5+vv8/f7/QKQrLC0v
        EAFTdHdvoS4QA9DRMTJRYdEzNFFioAAIADcAPABCAEgATQBTAFkAXgBnAGwAcQB2AHwAggCGAIkAjgCVAJsAoAClAKoArwDIAM4AzwDRANMA
        1gDbAOQA7QD+AQcBEAEZARoBGwEkAS0CMQIyAjcCOQI9Aj8CQQJCAkUCRwJKAkwAAAAAAAACAQAAAAAAAAA1AAAAAAAAAAAAAAAAAAACTQ==
        """)

    /// The same values in XML.
    static let xml = decoded(
        """
        PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0iVVRGLTgiPz4KPCFET0NUWVBFIHBsaXN0IFBVQkxJQyAiLS8vQXBwbGUvL0RURCBQTElT
        VCAxLjAvL0VOIiAiaHR0cDovL3d3dy5hcHBsZS5jb20vRFREcy9Qcm9wZXJ0eUxpc3QtMS4wLmR0ZCI+CjxwbGlzdCB2ZXJzaW9uPSIxLjAi
        Pgo8ZGljdD4KCTxrZXk+dGV4dDwva2V5PgoJPHN0cmluZz5ow6lsbG8gJmx0OyZhbXA7Jmd0OyDwn5iAPC9zdHJpbmc+Cgk8a2V5PmFzY2lp
        PC9rZXk+Cgk8c3RyaW5nPnBsYWluPC9zdHJpbmc+Cgk8a2V5PmVtcHR5PC9rZXk+Cgk8c3RyaW5nPjwvc3RyaW5nPgoJPGtleT56ZXJvPC9r
        ZXk+Cgk8aW50ZWdlcj4wPC9pbnRlZ2VyPgoJPGtleT5zbWFsbDwva2V5PgoJPGludGVnZXI+MjAwPC9pbnRlZ2VyPgoJPGtleT5zaG9ydDwv
        a2V5PgoJPGludGVnZXI+NjAwMDA8L2ludGVnZXI+Cgk8a2V5PndvcmQ8L2tleT4KCTxpbnRlZ2VyPjQwMDAwMDAwMDA8L2ludGVnZXI+Cgk8
        a2V5Pm5lZ2F0aXZlPC9rZXk+Cgk8aW50ZWdlcj4tMTwvaW50ZWdlcj4KCTxrZXk+bG9uZzwva2V5PgoJPGludGVnZXI+LTkyMjMzNzIwMzY4
        NTQ3NzU4MDg8L2ludGVnZXI+Cgk8a2V5Pmh1Z2U8L2tleT4KCTxpbnRlZ2VyPjE4NDQ2NzQ0MDczNzA5NTUxNjE1PC9pbnRlZ2VyPgoJPGtl
        eT5oYWxmPC9rZXk+Cgk8cmVhbD4wLjU8L3JlYWw+Cgk8a2V5PnRoaXJkPC9rZXk+Cgk8cmVhbD4wLjMzMzMzMzMzMzMzMzMzMzM8L3JlYWw+
        Cgk8a2V5PmxhcmdlPC9rZXk+Cgk8cmVhbD4xZSszMDA8L3JlYWw+Cgk8a2V5Pnllczwva2V5PgoJPHRydWUvPgoJPGtleT5ubzwva2V5PgoJ
        PGZhbHNlLz4KCTxrZXk+d2hlbjwva2V5PgoJPGRhdGU+MjAyNi0xMS0yMVQwNzo0MDowMFo8L2RhdGU+Cgk8a2V5PmJlZm9yZTwva2V5PgoJ
        PGRhdGU+MTk2OS0wNy0yMFQyMDoxNzo0MFo8L2RhdGU+Cgk8a2V5PmJ5dGVzPC9rZXk+Cgk8ZGF0YT4KCUFBRUNBd1FGQmdjSUNRb0xEQTBP
        RHhBUkVoTVVGUllYR0JrYUd4d2RIaDhnSVNJakpDVW1KeWdwS2lzc0xTNHZNREV5CglNelExTmpjNE9UbzdQRDArUDBCQlFrTkVSVVpIU0Vs
        S1MweE5UazlRVVZKVFZGVldWMWhaV2x0Y1hWNWZZR0ZpWTJSbAoJWm1kb2FXcHJiRzF1YjNCeGNuTjBkWFozZUhsNmUzeDlmbitBZ1lLRGhJ
        V0doNGlKaW91TWpZNlBrSkdTazVTVmxwZVkKCW1acWJuSjJlbjZDaG9xT2twYWFucUttcXE2eXRycSt3c2JLenRMVzJ0N2k1dXJ1OHZiNi93
        TUhDdzhURnhzZkl5Y3JMCgl6TTNPejlEUjB0UFUxZGJYMk5uYTI5emQzdC9nNGVMajVPWG01K2pwNnV2czdlN3Y4UEh5OC9UMTl2ZjQrZnI3
        L1AzKwoJL3c9PQoJPC9kYXRhPgoJPGtleT5ub25lPC9rZXk+Cgk8ZGF0YT4KCTwvZGF0YT4KCTxrZXk+bGlzdDwva2V5PgoJPGFycmF5PgoJ
        CTxpbnRlZ2VyPjE8L2ludGVnZXI+CgkJPHN0cmluZz50d288L3N0cmluZz4KCQk8YXJyYXk+CgkJCTxpbnRlZ2VyPjM8L2ludGVnZXI+CgkJ
        PC9hcnJheT4KCQk8ZGljdC8+Cgk8L2FycmF5PgoJPGtleT5kaWN0PC9rZXk+Cgk8ZGljdD4KCQk8a2V5PmE8L2tleT4KCQk8ZGljdD4KCQkJ
        PGtleT5iPC9rZXk+CgkJCTxhcnJheS8+CgkJPC9kaWN0PgoJPC9kaWN0PgoJPGtleT5zYW1lPC9rZXk+Cgk8c3RyaW5nPnBsYWluPC9zdHJp
        bmc+CjwvZGljdD4KPC9wbGlzdD4K
        """)

    /// UIDs: 1, 300 and 2 to the power of 40.
    static let identifiers = decoded(
        """
        YnBsaXN0MDCjAQIDgAGBASyHAAABAAAAAAAIDA4RAAAAAAAAAQEAAAAAAAAABAAAAAAAAAAAAAAAAAAAABo=
        """)

    /// A date: half a second after 2026-11-21T07:40:00Z.
    static let fraction = decoded(
        """
        YnBsaXN0MDChATNByFjBKEAAAAgKAAAAAAAAAQEAAAAAAAAAAgAAAAAAAAAAAAAAAAAAABM=
        """)

    /// The values of ``binary`` and ``xml`` as JSON: `json.dumps`, with `base64.b64encode` for the bytes.
    static let json = #"""
        {"text":"héllo <&> 😀","ascii":"plain","empty":"","zero":0,"small":200,"short":60000,"word":4000000000,\#
        "negative":-1,"long":-9223372036854775808,"huge":18446744073709551615,"half":0.5,"third":0.3333333333333333,\#
        "large":1e+300,"yes":true,"no":false,"when":"2026-11-21T07:40:00Z","before":"1969-07-20T20:17:40Z",\#
        "bytes":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElK\#
        S0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SV\#
        lpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g\#
        4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==",\#
        "none":"","list":[1,"two",[3],{}],"dict":{"a":{"b":[]}},"same":"plain"}
        """#

    private static func decoded(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
    }
}

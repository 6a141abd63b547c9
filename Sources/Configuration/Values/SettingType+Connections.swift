import Transfer
import YAML

extension SettingType where Value == String {
    /// The URL of a proxy, whose user information is a secret.
    static var proxy: SettingType {
        let shape = ScalarShape(
            label: "URL of a proxy", expectation: "the URL of a proxy such as http://proxy.example.com:3128")
        return .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                // The reason never repeats the text: a mistake in it does not make its password public.
                guard let proxy = ProxyURL(text) else { throw .because("expected \(shape.expectation)") }
                return proxy.text
            },
            format: { .text(ProxyURL($0)?.shown ?? $0) })
    }

    /// The name of a network interface, or an address of it.
    static var networkInterface: SettingType {
        .scalar(
            ScalarShape(label: "interface or address", expectation: "an interface such as eth0, or an address of one"),
            parse: { text throws(ScalarRefusal) in
                let marks = ".:_-@%".utf8
                guard (1...64).contains(text.utf8.count),
                    text.utf8.allSatisfy({ byte in
                        let character = Character(Unicode.Scalar(byte))
                        return character.isASCII && (character.isLetter || character.isNumber) || marks.contains(byte)
                    })
                else { throw .unexpected }
                return text
            },
            format: { .text($0) })
    }

    /// A numeric address; IPv6 ones may stand in brackets, and do from here on.
    static var address: SettingType {
        .scalar(
            ScalarShape(label: "address", expectation: "an address such as 192.0.2.1 or 2001:db8::1"),
            parse: { text throws(ScalarRefusal) in
                let literal = text.contains(":") && !text.hasPrefix("[") ? "[\(text)]" : text
                guard let host = HostAndPort(literal), host.port == nil, host.isAddress else { throw .unexpected }
                return host.host
            },
            format: { .text($0) })
    }
}

extension SettingType where Value == [FixedAddress] {
    /// Addresses by host and port.
    ///
    /// They are added to the ones so far; of a host and port that is there already the addresses are replaced, and null
    /// removes it.
    static var fixedAddresses: SettingType {
        let addresses = SettingType<[String]>.list(of: .address, orSingle: true, isNotEmpty: true)
        return SettingType(
            shape: .map(keys: "hosts, or hosts with port,", .nullable(addresses.shape)),
            read: { node, base, reader in
                guard let node else { return nil }
                var entries = base ?? []
                var seen: Set<String> = []
                for member in reader.mapping(of: node).members {
                    guard let key = HostAndPort(member.key) else {
                        reader.report("expected a host, or a host and a port, such as a.example:443", atKeyOf: member)
                        continue
                    }
                    let ports = key.port.map { [$0] } ?? [HTTPURL.Scheme.http, .https].map(\.defaultPort)
                    guard ports.allSatisfy({ seen.insert("\(key.host):\($0)").inserted }) else {
                        reader.report("the host and port are there already", atKeyOf: member)
                        continue
                    }
                    entries.removeAll { $0.host == key.host && ports.contains($0.port) }
                    guard !member.value.isNull else { continue }
                    let list = reader.enter(.key(member.key), member.value) { addresses.read(member.value, nil, &$0) }
                    guard let list else { continue }
                    entries += ports.map { FixedAddress(host: key.host, port: $0, addresses: list) }
                }
                return entries
            },
            write: { entries in
                .mapping(
                    entries.map { entry in
                        let value =
                            entry.addresses.count == 1 ? .text(entry.addresses[0]) : addresses.write(entry.addresses)
                        return ("\(entry.host):\(entry.port)", value)
                    })
            })
    }
}

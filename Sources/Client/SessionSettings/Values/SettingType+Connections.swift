import ErrandSettings
import ErrandText
import ErrandTransfer
import ErrandYAML

extension SettingType where Value == String {
    /// The type of a proxy URL, whose user information is a secret.
    static var proxy: SettingType {
        let shape = ScalarShape(
            label: "URL of a proxy", expectation: "the URL of a proxy such as http://proxy.example.com:3128")
        return .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                // The message never contains the text, so that a typing error does not reveal its password.
                guard let proxy = ProxyURL(text) else { throw .because("expected \(shape.expectation)") }
                return proxy.text
            },
            format: { .text(ProxyURL($0)?.shown ?? $0) })
    }

    /// The type of a network interface: its name, or one of its addresses.
    static var networkInterface: SettingType {
        .scalar(
            ScalarShape(label: "interface or address", expectation: "an interface such as eth0, or an address of one"),
            parse: { text throws(ScalarRefusal) in
                let marks = ".:_-@%".utf8
                guard (1...64).contains(text.utf8.count),
                    text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || marks.contains($0) })
                else { throw .unexpected }
                return text
            },
            format: { .text($0) })
    }

    /// The type of a numeric address.
    ///
    /// IPv6 addresses may be in brackets; the value always has them.
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
    /// The type of addresses by host and port.
    ///
    /// They are added to the entries so far. An existing host and port gets the new addresses; null removes it. A host
    /// without a port also replaces or removes its entries so far for the ports 80 and 443. Null for a port becomes an
    /// entry without addresses if the host has an entry without a port.
    static var fixedAddresses: SettingType {
        let addresses = SettingType<[String]>.list(of: .address, orSingle: true, isNotEmpty: true)
        return SettingType(
            shape: .map(keys: "hosts, or hosts with port,", .nullable(addresses.shape)),
            read: { node, base, reader in
                guard let node else { return nil }
                let mapping = reader.mapping(of: node)
                if InheritedEntries.reportExcess(of: mapping, to: &reader) { return nil }
                var entries = base ?? []
                var own: [FixedAddress] = []
                var seen: Set<String> = []
                for member in mapping.members {
                    guard let key = HostAndPort(member.key) else {
                        reader.report("expected a host, or a host and a port, such as a.example:443", atKeyOf: member)
                        continue
                    }
                    let port = key.port ?? FixedAddress.noPort
                    guard seen.insert("\(key.host):\(port)").inserted else {
                        reader.report("duplicate host and port", atKeyOf: member)
                        continue
                    }
                    let replaced = [port] + (key.port == nil ? FixedAddress.defaultPorts : [])
                    entries.removeAll { $0.host == key.host && replaced.contains($0.port) }
                    guard !member.value.isNull else {
                        if key.port != nil { own.append(FixedAddress(host: key.host, port: port, addresses: [])) }
                        continue
                    }
                    let list = reader.enter(.key(member.key), node: member.value) { reader in
                        let list = addresses.read(member.value, nil, &reader) ?? []
                        guard list.count > InheritedEntries.maxAddresses else { return list }
                        reader.report(
                            "expected at most \(InheritedEntries.maxAddresses) addresses, found \(list.count)")
                        return []
                    }
                    guard !list.isEmpty else { continue }
                    own.append(FixedAddress(host: key.host, port: port, addresses: list))
                }
                entries += own
                let hosts = Set(entries.filter { $0.port == FixedAddress.noPort }.map(\.host))
                return entries.filter { !$0.addresses.isEmpty || hosts.contains($0.host) }
            },
            write: { entries in
                .mapping(
                    entries.map { entry in
                        let value: YAMLNode =
                            switch entry.addresses.count {
                            case 0: .null
                            case 1: .text(entry.addresses[0])
                            default: addresses.write(entry.addresses)
                            }
                        let hasPort = entry.port != FixedAddress.noPort
                        return (hasPort ? "\(entry.host):\(entry.port)" : entry.host, value)
                    })
            })
    }
}

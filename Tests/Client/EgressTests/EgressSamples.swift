/// Addresses with known classification, written by hand.
enum EgressSamples {
    /// Public addresses, including those directly before and after each special block.
    static let publicAddresses = [
        // IPv4.
        "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0",
        "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.1.255", "192.0.3.0", "192.88.98.255",
        "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
        "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
        // IPv6.
        "2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::", "2001:4860:4860::8888",
        "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::",
        "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::",
        "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2606:4700::5efd:7f00:1", "2606:4700::100:5efe:7f00:1",
        // Public IPv4 addresses in IPv6 ones.
        "::ffff:8.8.8.8", "::ffff:808:808", "::ffff:0:8.8.8.8", "::8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b::808:808",
        "2002:808:808::1", "2002:808:808:1234:5678:9abc:def0:1234", "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
        "2606:4700::5efe:808:808", "2606:4700::200:5efe:8.8.8.8",
    ]

    /// All other addresses: the first, the last and some in between of each block.
    static let otherAddresses = [
        // This network, private, shared, loopback, cloud metadata, link-local.
        "0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.0",
        "100.100.100.200", "100.127.255.255", "127.0.0.0", "127.0.0.1", "127.1.2.3", "127.255.255.255",
        "168.63.129.16", "169.254.0.0", "169.254.0.1", "169.254.169.253", "169.254.169.254", "169.254.170.2",
        "169.254.255.255", "172.16.0.0", "172.17.0.1", "172.31.255.255", "192.168.0.0", "192.168.1.1",
        "192.168.255.255",
        // Protocols, documentation, relays, benchmarking, multicast, reserved, broadcast.
        "192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.192", "192.0.0.255", "192.0.2.0", "192.0.2.1", "192.0.2.255",
        "192.88.99.0", "192.88.99.1", "192.88.99.255", "198.18.0.0", "198.19.255.255", "198.51.100.0",
        "198.51.100.255", "203.0.113.0", "203.0.113.255", "224.0.0.0", "224.0.0.1", "239.255.255.250",
        "239.255.255.255", "240.0.0.0", "250.1.2.3", "255.255.255.254", "255.255.255.255",
        // Unspecified, loopback; IPv4 that is not public: mapped, translated, compatible, through NAT64.
        "::", "0:0:0:0:0:0:0:0", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0.0.0.0",
        "::ffff:10.0.0.1", "::FFFF:169.254.169.254", "0:0:0:0:0:ffff:192.168.0.1", "::ffff:255.255.255.255",
        "::ffff:0:127.0.0.1", "::ffff:0:10.255.255.255", "::ffff:0:a9fe:a9fe", "::127.0.0.1", "::10.0.0.1", "::7f00:1",
        "::0.0.0.2", "::a9fe:a9fe", "64:ff9b::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::10.1.2.3", "64:ff9b::a9fe:a9fe",
        "64:ff9b::", "64:ff9b::ffff:ffff",
        // NAT64 of a network, and addresses around the blocks of translators.
        "64:ff9b:1::", "64:ff9b:1::8.8.8.8", "64:ff9b:1:7f00:0:100::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
        "64:ff9b:2::", "64:ff9b:0:0:0:1::", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", "::1:0:0:1", "::fffe:8.8.8.8",
        // The discard block, and unallocated addresses around it.
        "100::", "100::1", "100::ffff:ffff:ffff:ffff", "100:0:0:1::", "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "5f00::1", "8000::", "c000::", "e000::", "fa00::1",
        "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        // Teredo: the server or the client is not public.
        "2001::", "2001:0:7f00:1:0:0:f7f7:f7f7", "2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:0:a00:1::f5ff:fffe",
        "2001:0:4136:e378::5601:5601", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
        // Protocols, benchmarking, ORCHID, documentation.
        "2001:1::", "2001:1::1", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", "2001:2::",
        "2001:2:0:ffff:ffff:ffff:ffff:ffff",
        "2001:2:1::", "2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", "2001:20::",
        "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", "2001:30::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::",
        "2001:db8::1", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
        // 6to4 of private addresses.
        "2002::", "2002:7f00:1::", "2002:7f00:1::1", "2002:a00:1::1", "2002:c0a8:101::1", "2002:a9fe:a9fe::",
        "2002:e000:1::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        // ISATAP of private addresses, below an otherwise public address.
        "2606:4700::5efe:127.0.0.1", "2606:4700::200:5efe:10.0.0.1", "2002:808:808::5efe:a00:1",
        // Unique-local, link-local, site-local, multicast.
        "fc00::", "fc00::1", "fd00::1", "fd00:ec2::254", "fd20:ce::254", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe80::", "fe80::1", "fe80::5efe:8.8.8.8",
        "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fec0::", "fec0::1", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "ff00::", "ff02::1", "ff02::fb", "ff05::1:3", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ]
}

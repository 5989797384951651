import Testing

@testable import Policy

/// One special range with addresses at its inner edges and just outside it.
struct RangeSample: CustomTestStringConvertible, Sendable {
    let name: String
    let reason: DenialReason
    let inside: [String]
    let outside: [String]

    var testDescription: String { name }

    init(_ name: String, _ reason: DenialReason, inside: [String], outside: [String]) {
        self.name = name
        self.reason = reason
        self.inside = inside
        self.outside = outside
    }

    /// Refused whatever the origin and the listeners.
    static let always = [
        RangeSample("0.0.0.0/8", .unspecified, inside: ["0.0.0.0", "0.0.0.1", "0.255.255.255"], outside: ["1.0.0.0"]),
        RangeSample(
            "169.254.0.0/16", .linkLocal, inside: ["169.254.0.0", "169.254.169.253", "169.254.169.255", "169.254.255.255"],
            outside: ["169.253.255.255", "169.255.0.0"]),
        RangeSample("metadata", .metadata, inside: ["169.254.169.254", "100.100.100.200", "192.0.0.192"], outside: []),
        RangeSample("224.0.0.0/4", .multicast, inside: ["224.0.0.0", "224.0.0.1", "239.255.255.255"], outside: ["223.255.255.255"]),
        RangeSample("broadcast", .broadcast, inside: ["255.255.255.255"], outside: []),
        RangeSample("::", .unspecified, inside: ["::"], outside: []),
        RangeSample(
            "fe80::/10", .linkLocal, inside: ["fe80::", "fe80::1", "fe80::1%3", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            outside: ["fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]),
        RangeSample("IPv6 metadata", .metadata, inside: ["fd00:ec2::254", "fd20:ce::254"], outside: []),
        RangeSample(
            "ff00::/8", .multicast, inside: ["ff00::", "ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], outside: []),
    ]

    /// Refused as an answer of HTTPDNS, and always once other hosts may use the proxy.
    static let conditional = [
        RangeSample(
            "127.0.0.0/8", .loopback, inside: ["127.0.0.0", "127.0.0.1", "127.255.255.255"], outside: ["126.255.255.255", "128.0.0.0"]),
        RangeSample(
            "10.0.0.0/8", .privateRange, inside: ["10.0.0.0", "10.5.5.5", "10.255.255.255"], outside: ["9.255.255.255", "11.0.0.0"]),
        RangeSample(
            "172.16.0.0/12", .privateRange, inside: ["172.16.0.0", "172.31.255.255"],
            outside: ["172.15.255.255", "172.32.0.0"]),
        RangeSample(
            "192.168.0.0/16", .privateRange, inside: ["192.168.0.0", "192.168.255.255"],
            outside: ["192.167.255.255", "192.169.0.0"]),
        RangeSample(
            "100.64.0.0/10", .privateRange, inside: ["100.64.0.0", "100.100.100.199", "100.100.100.201", "100.127.255.255"],
            outside: ["100.63.255.255", "100.128.0.0"]),
        RangeSample(
            "198.18.0.0/15", .reserved, inside: ["198.18.0.0", "198.18.0.1", "198.19.255.255"], outside: ["198.17.255.255", "198.20.0.0"]),
        RangeSample(
            "192.0.0.0/24", .reserved, inside: ["192.0.0.0", "192.0.0.191", "192.0.0.193", "192.0.0.255"],
            outside: ["191.255.255.255", "192.0.1.0"]),
        RangeSample("240.0.0.0/4", .reserved, inside: ["240.0.0.0", "255.255.255.254"], outside: []),
        RangeSample("::1", .loopback, inside: ["::1"], outside: []),
        RangeSample(
            "fc00::/7", .privateRange,
            inside: ["fc00::", "fd00::1", "fd00:ec2::253", "fd00:ec2::255", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
            outside: ["fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe00::"]),
        RangeSample("fec0::/10", .privateRange, inside: ["fec0::", "feff:ffff::1"], outside: []),
        RangeSample(
            "64:ff9b:1::/48", .privateRange, inside: ["64:ff9b:1::808:808", "64:ff9b:1:ffff::808:808"],
            outside: ["64:ff9b:2::808:808"]),
        RangeSample("2001:2::/48", .reserved, inside: ["2001:2::", "2001:2:0:ffff::1"], outside: ["2001:2:1::", "2001:1:ffff::"]),
    ]

    /// Addresses of ordinary servers.
    static let ordinary = [
        "1.1.1.1", "8.8.8.8", "93.184.216.34", "223.5.5.5", "203.0.113.7", "192.0.2.1", "100.63.0.1", "172.217.0.1",
        "2001:db8::1", "2400:3200::1",
        "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::1", "::8.8.8.8",
        "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
    ]
}

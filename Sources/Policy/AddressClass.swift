import Net

/// The special-purpose range an address lies in (RFC 6890 and the IANA registries); ordinary public addresses have none.
enum AddressClass: Equatable {
    case unspecified
    case metadata
    case linkLocal
    case multicast
    case broadcast
    case loopback
    case privateRange
    case reserved

    /// The class of `address` as written: an embedded IPv4 address is not looked at. nil means public.
    static func of(_ address: IPAddress) -> AddressClass? {
        guard let value = address.ipv4Value else { return ipv6(address.ipv6High, address.ipv6Low) }
        return ipv4(value)
    }

    private static func ipv4(_ value: UInt32) -> AddressClass? {
        switch value {
        case 0xa9fe_a9fe: .metadata  // 169.254.169.254, most clouds
        case 0x6464_64c8: .metadata  // 100.100.100.200, Alibaba Cloud
        case 0xc000_00c0: .metadata  // 192.0.0.192, Oracle Cloud
        case 0x0000_0000...0x00ff_ffff: .unspecified  // 0.0.0.0/8, RFC 1122 3.2.1.3
        case 0x7f00_0000...0x7fff_ffff: .loopback  // 127.0.0.0/8, RFC 1122 3.2.1.3
        case 0x0a00_0000...0x0aff_ffff: .privateRange  // 10.0.0.0/8, RFC 1918
        case 0xac10_0000...0xac1f_ffff: .privateRange  // 172.16.0.0/12, RFC 1918
        case 0xc0a8_0000...0xc0a8_ffff: .privateRange  // 192.168.0.0/16, RFC 1918
        case 0x6440_0000...0x647f_ffff: .privateRange  // 100.64.0.0/10, RFC 6598
        case 0xa9fe_0000...0xa9fe_ffff: .linkLocal  // 169.254.0.0/16, RFC 3927
        case 0xc612_0000...0xc613_ffff: .reserved  // 198.18.0.0/15, RFC 2544
        case 0xc000_0000...0xc000_00ff: .reserved  // 192.0.0.0/24, RFC 6890
        case 0xe000_0000...0xefff_ffff: .multicast  // 224.0.0.0/4, RFC 5771
        case 0xffff_ffff: .broadcast  // RFC 919 7
        case 0xf000_0000...0xffff_fffe: .reserved  // 240.0.0.0/4, RFC 1112 4
        default: nil
        }
    }

    private static func ipv6(_ high: UInt64, _ low: UInt64) -> AddressClass? {
        switch (high, low) {
        case (0, 0): .unspecified  // RFC 4291 2.5.2
        case (0, 1): .loopback  // RFC 4291 2.5.3
        case (0xfd00_0ec2_0000_0000, 0x254): .metadata  // fd00:ec2::254, AWS
        case (0xfd20_00ce_0000_0000, 0x254): .metadata  // fd20:ce::254, Google Cloud
        case (0xfc00_0000_0000_0000...0xfdff_ffff_ffff_ffff, _): .privateRange  // fc00::/7, RFC 4193
        case (0xfe80_0000_0000_0000...0xfebf_ffff_ffff_ffff, _): .linkLocal  // fe80::/10, RFC 4291 2.5.6
        case (0xfec0_0000_0000_0000...0xfeff_ffff_ffff_ffff, _): .privateRange  // fec0::/10, site-local, RFC 3879
        case (0xff00_0000_0000_0000..., _): .multicast  // ff00::/8, RFC 4291 2.7
        case (0x0064_ff9b_0001_0000...0x0064_ff9b_0001_ffff, _): .privateRange  // 64:ff9b:1::/48, RFC 8215
        case (0x2001_0002_0000_0000...0x2001_0002_0000_ffff, _): .reserved  // 2001:2::/48, RFC 5180
        default: nil
        }
    }
}

extension IPAddress {
    /// A mapped address as the IPv4 address the kernel connects to; every other address as it is.
    var unpacked: IPAddress {
        guard family == .ipv6, ipv6High == 0, ipv6Low >> 32 == 0xffff else { return self }
        return embeddedIPv4 ?? self
    }
}

import Net
import Testing

@testable import Policy

/// A policy as the configuration would make it.
func policy(open: Bool = false, allowed: [String] = [], own: [String] = [], host: [String] = []) throws -> DestinationPolicy {
    DestinationPolicy(
        openToOtherHosts: open, allowed: try allowed.map { try #require(IPPrefix($0)) },
        ownAddresses: try own.map { try #require(SocketAddress($0)) }, hostAddresses: try host.map { try #require(IPAddress($0)) })
}

func verdict(
    _ policy: DestinationPolicy, _ text: String, port: UInt16 = 80, origin: AddressOrigin = .literal
) throws -> DestinationPolicy.Verdict {
    policy.admit(try #require(IPAddress(text)), port: port, origin: origin)
}

@Suite("Address rules")
struct AddressRuleTests {
    @Test("Some ranges are refused whatever the origin and the listeners", arguments: RangeSample.always)
    func alwaysRefused(sample: RangeSample) throws {
        for open in [false, true] {
            for origin in AddressOrigin.allCases {
                for text in sample.inside {
                    #expect(try verdict(try policy(open: open), text, origin: origin) == .denied(sample.reason), "\(text) from \(origin)")
                }
            }
        }
        for text in sample.outside { #expect(try verdict(try policy(open: true), text, origin: .httpdns) == .allowed, "\(text)") }
    }

    @Test("HTTPDNS may not point a public name at a range inside a network", arguments: RangeSample.conditional)
    func rebindingRefused(sample: RangeSample) throws {
        for text in sample.inside {
            #expect(try verdict(try policy(), text, origin: .httpdns) == .denied(sample.reason), "\(text)")
        }
        for text in sample.outside { #expect(try verdict(try policy(), text, origin: .httpdns) == .allowed, "\(text)") }
    }

    @Test("With loopback listeners alone, what the client's own host knows may point anywhere inside", arguments: RangeSample.conditional)
    func ownHostAllowed(sample: RangeSample) throws {
        for text in sample.inside {
            for origin in [AddressOrigin.literal, .hosts, .local] {
                #expect(try verdict(try policy(), text, origin: origin) == .allowed, "\(text) from \(origin)")
            }
        }
    }

    @Test("Once other hosts may use the proxy, the ranges inside are closed for every origin", arguments: RangeSample.conditional)
    func closedWhenOpen(sample: RangeSample) throws {
        for text in sample.inside {
            for origin in AddressOrigin.allCases {
                #expect(try verdict(try policy(open: true), text, origin: origin) == .denied(sample.reason), "\(text) from \(origin)")
            }
        }
        for text in sample.outside { #expect(try verdict(try policy(open: true), text) == .allowed, "\(text)") }
    }

    @Test("Ordinary addresses are allowed from every origin", arguments: RangeSample.ordinary)
    func ordinaryAllowed(text: String) throws {
        for open in [false, true] {
            for origin in AddressOrigin.allCases { #expect(try verdict(try policy(open: open), text, origin: origin) == .allowed) }
        }
    }

    @Test(
        "An IPv6 answer is judged like its IPv4 twin",
        arguments: [("fd00::1", "10.0.0.1"), ("fe80::1", "169.254.0.1"), ("::1", "127.0.0.1"), ("::", "0.0.0.0")])
    func twins(six: String, four: String) throws {
        let policy = try policy()
        #expect(try verdict(policy, six, origin: .httpdns) == verdict(policy, four, origin: .httpdns))
        #expect(try verdict(policy, six, origin: .httpdns) != .allowed)
    }
}

@Suite("IPv4 addresses hidden in IPv6 addresses")
struct HiddenAddressTests {
    /// Every way to write an IPv4 address inside an IPv6 one, as bits before and after it.
    private static func disguises(_ four: UInt32) -> [IPAddress] {
        let low = UInt64(four)
        return [
            IPAddress(ipv6High: 0, low: 0xffff_0000_0000 | low), IPAddress(ipv6High: 0x0064_ff9b_0000_0000, low: low),
            IPAddress(ipv6High: 0x2002_0000_0000_0000 | low << 16, low: 1), IPAddress(ipv6High: 0x2001_0000_0000_0000, low: UInt64(~four)),
        ]
    }

    @Test("A refused address is refused in every disguise, for the same reason", arguments: RangeSample.always + RangeSample.conditional)
    func refusedInDisguise(sample: RangeSample) throws {
        let policy = try policy(open: true)
        for text in sample.inside {
            guard let four = IPAddress(text)?.ipv4Value else { continue }
            for disguise in Self.disguises(four) {
                #expect(policy.admit(disguise, port: 80, origin: .literal) == .denied(sample.reason), "\(disguise) for \(text)")
            }
        }
    }

    @Test("An ordinary address stays allowed in every disguise")
    func allowedInDisguise() throws {
        let policy = try policy(open: true)
        for disguise in Self.disguises(0x0808_0808) { #expect(policy.admit(disguise, port: 80, origin: .httpdns) == .allowed) }
    }

    @Test(
        "Targets that once slipped through such checks",
        arguments: [
            ("::ffff:169.254.169.254", .metadata), ("64:ff9b::7f00:1", .loopback), ("2002:7f00:1::", .loopback),
            ("::127.0.0.1", .loopback),
            ("::ffff:0.0.0.0", .unspecified), ("::ffff:10.0.0.1", .privateRange), ("64:ff9b::a9fe:a9fe", .metadata),
            ("64:ff9b:1:a9fe:a9:fe00::", .privateRange), ("::a00:1", .privateRange), ("2002:a9fe:a9fe::", .metadata),
            ("::ffff:255.255.255.255", .broadcast), ("::ffff:224.0.0.1", .multicast), ("::ffff:169.254.1.1%4", .linkLocal),
            ("::2", .unspecified),
        ] as [(String, DenialReason)])
    func knownTricks(text: String, reason: DenialReason) throws {
        #expect(try verdict(try policy(open: true), text) == .denied(reason))
        #expect(try verdict(try policy(), text, origin: .httpdns) == .denied(reason))
    }

    @Test("With loopback listeners alone, a disguise is as good as the address, except where that is refused always")
    func localDisguises() throws {
        #expect(try verdict(try policy(), "::ffff:127.0.0.1") == .allowed)
        #expect(try verdict(try policy(), "64:ff9b::10.0.0.1") == .allowed)
        #expect(try verdict(try policy(), "64:ff9b:1:a9fe:a9:fe00::") == .denied(.metadata))
        #expect(try verdict(try policy(), "::ffff:169.254.169.254") == .denied(.metadata))
    }
}

@Suite("Hosts before resolving")
struct HostDecisionTests {
    @Test(
        "A literal is judged at once, as its address",
        arguments: ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "8.8.8.8", "::ffff:0.0.0.0"])
    func literals(text: String) throws {
        let address = try #require(IPAddress(text))
        for open in [false, true] {
            let policy = try policy(open: open)
            #expect(policy.decide(host: .address(address), port: 80) == policy.admit(address, port: 80, origin: .literal))
        }
    }

    @Test(
        "Names of metadata services are refused before anyone is asked",
        arguments: ["metadata", "metadata.google.internal", "x.metadata.google.internal"])
    func metadataNames(name: String) throws {
        for open in [false, true] { #expect(try policy(open: open).decide(host: .name(name), port: 80) == .denied(.metadataName)) }
        #expect(try policy(allowed: ["169.254.0.0/16"]).decide(host: .name(name), port: 80) == .allowed)
        #expect(try policy(allowed: ["10.0.0.0/8"]).decide(host: .name(name), port: 80) == .denied(.metadataName))
    }

    @Test(
        "Case and a dot at the end are no way around",
        arguments: ["Metadata.Google.Internal", "METADATA", "metadata.google.internal.", "metadata.:80"])
    func spellings(text: String) throws {
        #expect(try policy().decide(host: try Authority(text).host, port: 80) == .denied(.metadataName))
    }

    @Test(
        "Every other name may be asked for",
        arguments: [
            "a.test", "localhost", "metadata.test", "xmetadata", "metadata.google", "google.internal", "metadata.google.internal.test",
            "xmetadata.google.internal",
        ])
    func otherNames(name: String) throws {
        #expect(try policy(open: true).decide(host: .name(name), port: 443) == .allowed)
    }
}

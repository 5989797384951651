// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// A room of the house: a Swift target with the strict flags. What it may import is what it lists here.
func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "httpdns-proxy",
    products: [
        .executable(name: "httpdns-proxy", targets: ["httpdns-proxy"])
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLinux"),
        room("Net", []),
        room("HTTP1", ["Net"]),
        room("HTTPDNS", ["Net", "CCrypto"]),
        room("Policy", ["Net", "HTTP1"]),
        room("EventLoop", ["Net", "CLinux"]),
        room("Upstream", ["EventLoop", "Net", "CCurl"]),
        room("LocalDNS", ["EventLoop", "HTTPDNS", "Net", "CAres"]),
        room("ProxyServer", ["EventLoop", "Upstream", "LocalDNS", "HTTP1", "HTTPDNS", "Policy", "Net", "CLinux"]),
        .executableTarget(
            name: "httpdns-proxy", dependencies: ["ProxyServer", "HTTPDNS", "Policy", "HTTP1", "Net"], swiftSettings: strict),
        tests("NetTests", ["Net"]),
        tests("HTTP1Tests", ["HTTP1", "Net"]),
        tests("HTTPDNSTests", ["HTTPDNS", "Net"]),
        tests("PolicyTests", ["Policy", "HTTP1", "Net"]),
        tests("EventLoopTests", ["EventLoop", "Net"]),
        tests("UpstreamTests", ["Upstream", "EventLoop", "Net", "CLinux"]),
        tests("LocalDNSTests", ["LocalDNS", "EventLoop", "HTTPDNS", "Net"]),
        tests("ProxyServerTests", ["ProxyServer", "EventLoop", "HTTPDNS", "HTTP1", "Policy", "Net", "Upstream"]),
        tests("CommandTests", ["httpdns-proxy", "ProxyServer", "HTTPDNS", "Net"]),
    ]
)

"""Who may import whom. `package` access reaches every room, so the layering is held here and in Package.swift."""

ALLOWED = {
    "Net": set(),
    "HTTP1": {"Net"},
    "HTTPDNS": {"Net", "CCrypto", "Synchronization", "FoundationEssentials"},
    "Policy": {"Net", "HTTP1"},
    "EventLoop": {"Net", "CLinux", "Glibc", "Synchronization"},
    "LocalDNS": {"Net", "HTTPDNS", "EventLoop", "CAres", "Glibc"},
    "Upstream": {"Net", "HTTP1", "EventLoop", "CCurl", "Glibc", "Synchronization"},
    "ProxyServer": {"Net", "HTTP1", "HTTPDNS", "Policy", "EventLoop", "LocalDNS", "Upstream", "CLinux", "Glibc", "Synchronization"},
    "httpdns-proxy": {"Net", "HTTP1", "HTTPDNS", "Policy", "ProxyServer", "FoundationEssentials", "Glibc"},
}

# Modules that only some files of a room may import: room -> module -> file names.
ONLY_IN = {
    "HTTPDNS": {"FoundationEssentials": "JSON* AlibabaPublicDNS.swift", "CCrypto": "SHA256.swift"},
}

# Rooms that may work on raw memory. In HTTP1 these files are the audited byte layer; the others may be handed bytes
# (`UnsafeRawBufferPointer` in a signature) and no more.
RAW_MEMORY_ROOMS = {"EventLoop", "Upstream", "LocalDNS"}
RAW_MEMORY_FILES = {
    "HTTP1": "ByteBuffer.swift HeadParser*.swift ChunkedDecoder.swift Forwarding*.swift",
    "HTTPDNS": "SHA256.swift",
}

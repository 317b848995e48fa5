internal import FoundationEssentials

/// The address of an MQTT broker, parsed from its URL.
package struct BrokerAddress: Equatable, Sendable, CustomStringConvertible {
    /// A name or an IP address; IPv6 without brackets.
    package let host: String
    /// The port of the URL, by default 1883, or 8883 with TLS.
    package let port: Int
    /// Whether the URL is `mqtts://`.
    package let isEncrypted: Bool

    /// The URL, always with the port.
    package var description: String { "\(isEncrypted ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// - Returns: `nil` unless the text is `mqtt://` or `mqtts://` with a host and an optional port.
    package init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme, ["mqtt", "mqtts"].contains(scheme),
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, parts.path.isEmpty || parts.path == "/", (1...65_535).contains(parts.port ?? 1)
        else { return nil }
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        isEncrypted = scheme == "mqtts"
        port = parts.port ?? (isEncrypted ? 8883 : 1883)
    }
}

package import DoorwardDomain
internal import FoundationEssentials

/// Address, credentials and timing of the connection to a broker.
package struct MQTTSettings: Sendable {
    /// A host name or an IP address.
    package var host: String
    /// Usually 1883, or 8883 with TLS.
    package var port: Int
    /// The certificates for TLS; `nil` for an unencrypted connection, only to a broker on the same machine or in a trusted
    /// network.
    package var tls: TLS?
    /// The credentials; `nil` if the broker requires none, or identifies the gateway by its certificate.
    package var user: User?
    /// The client identifier: a broker disconnects a client when another connects with the same one. Empty: the broker assigns
    /// one.
    package var clientID: String
    /// The last will, which the broker publishes when the gateway disappears without a DISCONNECT; `nil` for none.
    package var will: Will?
    /// Keep alive interval.
    package var keepAlive: Duration = .seconds(30)
    /// How long establishing a connection may take, up to the CONNACK.
    package var connectTimeout: Duration = .seconds(10)
    /// The pause before the second attempt. Each further pause is twice as long, up to `maximumBackoff`. Every pause is shortened
    /// at random, by half at most.
    package var initialBackoff: Duration = .milliseconds(500)
    /// Maximum pause between two attempts.
    package var maximumBackoff: Duration = .seconds(60)

    /// Maximum payload of a received message in bytes. With MQTT 5 the broker is given the limit and withholds longer messages.
    /// With an older version longer messages are dropped and counted on arrival. The connection is kept, as a retained message
    /// would arrive again after every reconnect. The library buffers a message while it arrives, so an older broker should have a
    /// limit of its own.
    package var maximumPayloadBytes = 32 * 1024 * 1024

    package init(host: String, port: Int, clientID: String) {
        (self.host, self.port, self.clientID) = (host, port, clientID)
    }

    /// Certificates of the broker and of the gateway; paths of PEM files.
    package struct TLS: Sendable {
        /// The only certificate authority that is trusted; `nil` for those that the system trusts.
        package var authorityFile: String?
        /// The gateway's client certificate and key, where the broker requires one.
        package var certificate: (file: String, keyFile: String)?

        package init(authorityFile: String? = nil, certificate: (file: String, keyFile: String)? = nil) {
            (self.authorityFile, self.certificate) = (authorityFile, certificate)
        }
    }

    /// Credentials of the gateway.
    package struct User: Sendable {
        /// User name.
        package var name: String
        /// Sent in plain text, so use TLS.
        package var password: Secret<String>?

        package init(name: String, password: Secret<String>?) { (self.name, self.password) = (name, password) }

        /// Makes credentials from a plain-text password.
        package init(name: String, plainPassword: String) { self.init(name: name, password: Secret(plainPassword)) }
    }

    /// A last will (MQTT 5.0, section 3.1.2.5). It may be retained, as it is not a command to a lock.
    package struct Will: Sendable {
        /// Topic of the last will.
        package var topic: MQTTTopic
        /// Payload of the last will.
        package var payload: [UInt8]
        /// Whether the broker retains it for later subscribers.
        package var isRetained: Bool

        package init(topic: MQTTTopic, payload: [UInt8], isRetained: Bool) {
            (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
        }
    }
}

/// The address of an MQTT broker, parsed from its URL.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
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

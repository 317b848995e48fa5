package import DoorwardDomain

/// A broker, and how to speak to it.
package struct MQTTSettings: Sendable {
    /// A name or an address.
    package var host: String
    /// 1883, or 8883 with TLS, as a rule.
    package var port: Int
    /// `nil`: bytes go as they are, so for a broker on the same machine or network that one trusts.
    package var tls: TLS?
    /// `nil` where the broker asks for none, or knows the gateway by its certificate.
    package var user: User?
    /// What the broker tells gateways apart by: two with the same id throw each other out. Empty, the broker chooses.
    package var clientID: String
    /// What the broker says when the gateway is gone without a word; `nil` for nothing.
    package var will: Will?
    /// How long the broker may be silent.
    package var keepAlive: Duration = .seconds(30)
    /// How long a connection may take to stand, from the first packet to the broker's word.
    package var patience: Duration = .seconds(10)
    /// The pause before the second attempt; each further one is twice as long, up to `longestPause`, and each is shortened by
    /// chance to between a half and the whole.
    package var firstPause: Duration = .milliseconds(500)
    /// The longest pause between two attempts.
    package var longestPause: Duration = .seconds(60)

    /// The longest payload that is taken in, in bytes. A broker that speaks MQTT 5 is told, and keeps longer ones to itself; of
    /// an older one they come all the same, and are dropped and counted without ending the connection, which would bring a
    /// retained one back for ever. The library holds such a one while it comes, so an older broker should have a limit too.
    package var longestPayload = 32 * 1024 * 1024

    package init(host: String, port: Int, clientID: String) {
        (self.host, self.port, self.clientID) = (host, port, clientID)
    }

    /// The certificates that speak for the broker and the gateway; paths of PEM files.
    package struct TLS: Sendable {
        /// The one authority whose word counts; `nil` for those that the system trusts.
        package var authorityFile: String?
        /// The gateway's own certificate and key, where the broker wants one.
        package var certificate: (file: String, keyFile: String)?

        package init(authorityFile: String? = nil, certificate: (file: String, keyFile: String)? = nil) {
            (self.authorityFile, self.certificate) = (authorityFile, certificate)
        }
    }

    /// Who the gateway is to the broker.
    package struct User: Sendable {
        /// What the broker calls it.
        package var name: String
        /// Sent as it is, so TLS should be under it.
        package var password: Secret<String>?

        package init(name: String, password: Secret<String>?) { (self.name, self.password) = (name, password) }

        /// With a password as a person typed it.
        package init(name: String, plainPassword: String) { self.init(name: name, password: Secret(plainPassword)) }
    }

    /// A last will (MQTT 5.0, section 3.1.2.5). It may be retained: it moves no lock.
    package struct Will: Sendable {
        /// Where it is said.
        package var topic: MQTTTopic
        /// What is said.
        package var payload: [UInt8]
        /// Whether the broker keeps it for later subscribers.
        package var isRetained: Bool

        package init(topic: MQTTTopic, payload: [UInt8], isRetained: Bool) {
            (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
        }
    }
}

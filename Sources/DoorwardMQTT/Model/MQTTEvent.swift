/// An event of a connection. Events are delivered in the order in which they happen.
package enum MQTTEvent: Hashable, Sendable {
    /// The broker has accepted the connection, or has resumed after a stall; the subscriptions are being requested.
    case connected(MQTTVersion)
    /// The connection was lost, or could not be established. Another attempt follows by itself, unless the connection was
    /// stopped.
    case disconnected(MQTTFailure)
    /// A message that matches a subscription.
    case message(MQTTMessage)
    /// A message that was dropped, as its payload was longer than `MQTTSettings.maximumPayloadBytes`.
    case tooLong(topic: String, bytes: Int)
    /// The broker has acknowledged or rejected a message of QoS 1.
    case acknowledged(MQTTPublishNumber, MQTTAcknowledgement)
    /// The broker has granted or refused all desired subscriptions.
    case subscribed
    /// The broker refuses a subscription, or the request cannot be sent to it. `reason` is the text of the reason code.
    case subscriptionRefused(MQTTFilter, reason: String)
    /// The broker grants a subscription that it had refused before on this connection.
    case subscriptionGranted(MQTTFilter)
}

/// The broker's reply to a message of QoS 1 (MQTT 5.0, section 3.4.2.1; with an older version always `.accepted`).
package enum MQTTAcknowledgement: Hashable, Sendable {
    /// The broker has accepted it.
    case accepted
    /// The broker has accepted it, and there are no matching subscribers.
    case noMatchingSubscribers
    /// The broker rejected it. `reason` is the text of the reason code, and `isNotAuthorized` whether it is `Not authorized`.
    case rejected(reason: String, isNotAuthorized: Bool)
}

/// Version of the MQTT protocol.
package enum MQTTVersion: String, Hashable, Sendable {
    /// MQTT 3.1.1, which has no message expiry.
    case v311 = "3.1.1"
    /// MQTT 5.0.
    case v5 = "5.0"
}

/// Why there is no connection. Contains no secrets.
package enum MQTTFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The host does not exist, or does not accept connections.
    case unreachable(String)
    /// The broker rejected the connection, for example its credentials or its client identifier. The text is the broker's reason.
    case connectionRefused(String)
    /// The certificate could not be verified, or the other side does not support TLS.
    case tlsFailed(String)
    /// The broker or the network has ended the connection.
    case connectionLost(String)
    /// The gateway has reset the connection, as a message could not reach the broker within its lifetime.
    case writeTimeout
    /// The broker has stalled: its machine accepts bytes, but the broker answers nothing. The connection is kept open for a
    /// while, with nothing sent over it, to receive what the broker sends if it resumes.
    case notResponding
    /// The gateway has closed the connection on request.
    case stopped

    private static let stallText = """
        the broker has stalled; the last commands that its machine has accepted cannot be withdrawn, and the broker may \
        deliver them late, when it resumes
        """

    /// The reason alone, in lower case, to be put in brackets after a broker's name: `connection refused`.
    package var reason: String {
        let text =
            switch self {
            case .unreachable(let why): why
            case .connectionRefused(let why): "refused by the broker: \(why)"
            case .tlsFailed(let why): "TLS failed: \(why)"
            case .connectionLost(let why): why.lowercased().hasPrefix("connection") ? why : "connection lost: \(why)"
            case .writeTimeout: "the broker stopped reading, so the connection was reset"
            case .notResponding: Self.stallText
            case .stopped: "stopped"
            }
        return text.prefix(2).allSatisfy(\.isUppercase) ? text : text.prefix(1).lowercased() + text.dropFirst()
    }

    /// One sentence for a person, without the full stop.
    package var description: String {
        switch self {
        case .unreachable(let why): "the broker cannot be reached: \(why)"
        case .connectionRefused(let why): "the broker refused the connection: \(why)"
        case .tlsFailed(let why): "no secure connection to the broker: \(why)"
        case .connectionLost(let why): "the connection to the broker was lost: \(why)"
        case .writeTimeout: "the broker has read nothing for too long; the connection was reset"
        case .notResponding: Self.stallText
        case .stopped: "the connection was closed"
        }
    }
}

/// Why a message was not sent. No complete message has been sent, and none will be.
package enum MQTTSendError: Error, Hashable, Sendable {
    /// There is no connection at this moment.
    case notConnected
    /// The broker has not yet granted the subscriptions by which the answer would arrive.
    case notSubscribed
    /// The broker reads too slowly, or has not acknowledged enough of the messages that were sent.
    case busy
    /// The payload exceeds the limit of this program or of the broker.
    case tooLong
}

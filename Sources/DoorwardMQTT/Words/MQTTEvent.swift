/// What happens at a connection, in its order.
package enum MQTTEvent: Hashable, Sendable {
    /// The broker has let the gateway in; the subscriptions have been asked for.
    case connected(MQTTVersion)
    /// The connection is gone, or could not be made. Another attempt follows by itself, unless somebody stopped it.
    case disconnected(MQTTFailure)
    /// A message of a subscription.
    case message(MQTTMessage)
    /// A message that came and was dropped, as it was longer than `MQTTSettings.longestPayload`.
    case tooLong(topic: String, bytes: Int)
    /// The broker has a frame of quality `.atLeastOnce`; or has refused it, or knows that nobody is subscribed to its topic.
    case acknowledged(MQTTFrameID, MQTTAcknowledgement)
    /// All wanted subscriptions have been requested, and the broker has answered.
    case subscribed
    /// The broker refuses a subscription, or cannot be sent the request for it: the text of the reason code.
    case subscriptionRefused(MQTTFilter, reason: String)
    /// The broker grants a subscription that it had refused before on this connection.
    case subscriptionGranted(MQTTFilter)
}

/// Identifies a frame of quality `.atLeastOnce` for the whole life of its `MQTTConnection`, unlike the 16-bit packet identifiers of
/// MQTT, which are used again.
package struct MQTTFrameID: Hashable, Sendable {
    /// Of no frame: before the first.
    static let none = MQTTFrameID(rawValue: 0)

    let rawValue: UInt64

    var next: Self { Self(rawValue: rawValue + 1) }
}

/// What a broker says of a frame (MQTT 5.0, section 3.4.2.1; an older broker always says `.taken`).
package enum MQTTAcknowledgement: Hashable, Sendable {
    /// The broker has it.
    case taken
    /// The broker has it, and nobody to give it to.
    case nobodySubscribed
    /// The broker rejected it: the text of its reason code, and whether that is `Not authorized`.
    case refused(reason: String, isNotAuthorized: Bool)
}

/// The protocol that a broker speaks.
package enum MQTTVersion: String, Hashable, Sendable {
    /// MQTT 3.1.1, where nothing says how long a message holds.
    case three = "3.1.1"
    /// MQTT 5.0.
    case five = "5.0"
}

/// Why there is no connection. Says nothing that is secret.
package enum MQTTFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody answers at the address, or there is no such host.
    case unreachable(String)
    /// The broker does not let the gateway in: name and password, client id, a ban. Its reason in words.
    case refused(String)
    /// What answers is not the one that the certificate authority stands for, or speaks no TLS.
    case notTrusted(String)
    /// The broker, or something between, has ended it.
    case lost(String)
    /// The gateway has ended it: a frame could not get to the broker while it meant anything.
    case stuck
    /// The broker has stalled: its machine accepts bytes, but the broker answers nothing. The connection is left open for a
    /// while, with nothing sent over it, to see what the broker does when it resumes.
    case standsStill
    /// The gateway has ended it in order.
    case stopped

    private static let standstill = """
        the broker stands still; no client can take back what its machine has accepted of the last commands, and the broker may \
        deliver it late, when it goes on
        """

    /// The reason alone, in lower case, to be put in brackets after a broker's name: `connection refused`.
    package var reason: String {
        let text =
            switch self {
            case .unreachable(let why): why
            case .refused(let why): "refused by the broker: \(why)"
            case .notTrusted(let why): "TLS failed: \(why)"
            case .lost(let why): why.lowercased().hasPrefix("connection") ? why : "connection lost: \(why)"
            case .stuck: "the broker stopped reading, so the connection was cut"
            case .standsStill: Self.standstill
            case .stopped: "stopped"
            }
        return text.prefix(2).allSatisfy(\.isUppercase) ? text : text.prefix(1).lowercased() + text.dropFirst()
    }

    /// One sentence for a person, without its end.
    package var description: String {
        switch self {
        case .unreachable(let why): "the broker cannot be reached: \(why)"
        case .refused(let why): "the broker refuses the gateway: \(why)"
        case .notTrusted(let why): "no secure connection to the broker: \(why)"
        case .lost(let why): "the connection to the broker is lost: \(why)"
        case .stuck: "the broker has not read for too long; the connection was cut so that nothing arrives late"
        case .standsStill: Self.standstill
        case .stopped: "the connection was ended"
        }
    }
}

/// Why a frame was not sent. No byte of it that could be read as a frame has left, and none will.
package enum MQTTSendError: Error, Hashable, Sendable {
    /// There is no connection at this moment.
    case notConnected
    /// The broker has not yet granted the subscriptions by which the answer would arrive.
    case notSubscribed
    /// The broker reads too slowly, or has not acknowledged enough of what it was sent.
    case busy
    /// The payload is too long, for us or for the broker.
    case tooLong
}

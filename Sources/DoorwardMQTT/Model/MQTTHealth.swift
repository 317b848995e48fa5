package import DoorwardDomain

/// State and counters of a connection at one moment.
package struct MQTTHealth: Hashable, Sendable, CustomStringConvertible {
    /// When the connection was established; `nil` while there is none.
    package internal(set) var connectedSince: Timestamp?
    /// Protocol version of the last connection; `nil` before the first.
    package internal(set) var version: MQTTVersion?
    /// Why the connection was last lost, stopped or could not be established; `nil` if that never happened.
    package internal(set) var lastFailure: MQTTFailure?
    /// When `lastFailure` happened.
    package internal(set) var lastFailureAt: Timestamp?
    /// Counters since the object was created.
    package internal(set) var counts = Counts()

    /// Counters, which only ever grow.
    package struct Counts: Hashable, Sendable {
        /// How many times a connection was established, or was usable again after a stall.
        package internal(set) var connects = 0
        /// Connections that ended, or could not be established.
        package internal(set) var disconnects = 0
        /// Disconnects because a message could not reach the broker within its lifetime, or because the broker stalled.
        package internal(set) var writeTimeouts = 0
        /// Messages delivered to the receiver.
        package internal(set) var messagesIn = 0
        /// Messages that were received and dropped, as they were too long or too many.
        package internal(set) var messagesDropped = 0
        /// Messages that were accepted for sending.
        package internal(set) var publishesSent = 0
        /// Messages that were not sent: `publish` or `publishRetainable` threw.
        package internal(set) var publishesFailed = 0
        /// Messages that the broker has acknowledged, also those without matching subscribers.
        package internal(set) var publishesAcknowledged = 0
        /// Messages that the broker has rejected.
        package internal(set) var publishesRejected = 0
        /// Subscriptions that the broker refused, or that could not be requested from it.
        package internal(set) var subscriptionsRefused = 0
    }

    /// One sentence for a person.
    package var description: String {
        if let connectedSince { return "connected since \(connectedSince)" }
        guard let lastFailure, let lastFailureAt else { return "not connected yet" }
        return "not connected since \(lastFailureAt): \(lastFailure)"
    }

    mutating func record(_ event: MQTTEvent, at now: Timestamp) {
        switch event {
        case .connected(let version):
            (self.version, connectedSince) = (version, now)
            counts.connects += 1
        case .disconnected(let failure):
            (connectedSince, lastFailure, lastFailureAt) = (nil, failure, now)
            counts.disconnects += 1
            if failure == .writeTimeout || failure == .notResponding { counts.writeTimeouts += 1 }
        case .message: counts.messagesIn += 1
        case .tooLong: break
        case .acknowledged(_, .rejected): counts.publishesRejected += 1
        case .subscribed, .subscriptionGranted: break
        case .acknowledged: counts.publishesAcknowledged += 1
        case .subscriptionRefused: counts.subscriptionsRefused += 1
        }
    }
}

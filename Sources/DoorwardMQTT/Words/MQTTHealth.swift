package import DoorwardDomain

/// How a connection is, at one moment.
package struct MQTTHealth: Hashable, Sendable, CustomStringConvertible {
    /// Since when it stands; `nil` while it does not.
    package internal(set) var connectedSince: Timestamp?
    /// What the broker speaks, as it was found last; `nil` before the first connection.
    package internal(set) var version: MQTTVersion?
    /// What ended it last, or kept it from standing; `nil` when nothing ever has. An end in order counts too.
    package internal(set) var lastFailure: MQTTFailure?
    /// When that was.
    package internal(set) var lastFailureAt: Timestamp?
    /// What has been counted since the connection was made.
    package internal(set) var counts = Counts()

    /// Counts that only ever grow.
    package struct Counts: Hashable, Sendable {
        /// Times that the broker let the gateway in.
        package internal(set) var connects = 0
        /// Times that a connection ended, or could not be made.
        package internal(set) var disconnects = 0
        /// Of those, times that the gateway cut it because a frame could not reach the broker within its lifetime, or because the
        /// broker stalled.
        package internal(set) var cutAsStuck = 0
        /// Messages that were handed on.
        package internal(set) var messagesIn = 0
        /// Messages that came and were not taken, as they were too long or too many.
        package internal(set) var messagesDropped = 0
        /// Frames and announcements that were handed to the socket.
        package internal(set) var framesOut = 0
        /// Frames and announcements that were not sent, so `publish` threw.
        package internal(set) var framesRefused = 0
        /// Frames and announcements that the broker has acknowledged, also those that it had nobody to give to.
        package internal(set) var framesAcknowledged = 0
        /// Frames and announcements that the broker has answered with a refusal.
        package internal(set) var framesRejected = 0
        /// Subscriptions that the broker refused, or that it could not be sent.
        package internal(set) var subscriptionsRefused = 0
    }

    /// One sentence for a person.
    package var description: String {
        if let connectedSince { return "connected since \(connectedSince)" }
        guard let lastFailure, let lastFailureAt else { return "not connected yet" }
        return "not connected since \(lastFailureAt): \(lastFailure)"
    }

    mutating func note(_ event: MQTTEvent, at now: Timestamp) {
        switch event {
        case .connected(let version):
            (self.version, connectedSince) = (version, now)
            counts.connects += 1
        case .disconnected(let failure):
            (connectedSince, lastFailure, lastFailureAt) = (nil, failure, now)
            counts.disconnects += 1
            if failure == .stuck || failure == .standsStill { counts.cutAsStuck += 1 }
        case .message: counts.messagesIn += 1
        case .tooLong: break
        case .acknowledged(_, .refused): counts.framesRejected += 1
        case .subscribed, .subscriptionGranted: break
        case .acknowledged: counts.framesAcknowledged += 1
        case .subscriptionRefused: counts.subscriptionsRefused += 1
        }
    }
}

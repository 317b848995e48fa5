internal import DoorwardDomain
internal import DoorwardMQTT

/// Recently sent commands of one lock that the broker has not delivered back to the gateway. The gateway subscribes to the lock's
/// command topics, so that it detects when the broker delivers a command late.
struct PublishedCommands {
    /// Maximum number of remembered commands.
    private static let maxCount = 8
    /// How long a command is remembered after its deadline. A message that matches later may come from any client.
    private static let retention = Duration.seconds(300)

    private struct Publish {
        let command: CommandID
        let topic: String
        let payload: [UInt8]
        let until: MonotonicInstant
    }

    private var publishes: [Publish] = []

    mutating func record(_ command: CommandID, _ outgoing: OutgoingMessage, until: MonotonicInstant) {
        publishes.append(Publish(command: command, topic: outgoing.topic.description, payload: outgoing.payload, until: until))
        if publishes.count > Self.maxCount { publishes.removeFirst() }
    }

    /// Matches a received message with the commands. Of equal commands, one whose deadline has not passed matches first: the
    /// message is then no evidence that another command was delivered late.
    ///
    /// - Returns: the command to which the message belongs, if its deadline had passed.
    mutating func lateDelivery(of message: MQTTMessage, at now: MonotonicInstant) -> CommandID? {
        guard !publishes.isEmpty, !message.isRetained else { return nil }
        publishes.removeAll { now > $0.until.advanced(by: Self.retention) }
        let matches = publishes.indices.filter {
            publishes[$0].topic == message.topic && publishes[$0].payload == message.payload
        }
        guard let index = matches.first(where: { publishes[$0].until > now }) ?? matches.first else { return nil }
        let publish = publishes.remove(at: index)
        return publish.until > now ? nil : publish.command
    }
}

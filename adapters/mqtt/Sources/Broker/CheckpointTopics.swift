package import DoorwardDomain
internal import DoorwardMQTT
package import Logging
internal import Synchronization

/// Publishes the newest checkpoint of a log to brokers as a retained message, so that a witness receives it when it subscribes.
///
/// A broker of a portfolio receives the checkpoints of that portfolio's log alone, any other broker those of the gateway's log. Each
/// broker has a connection of its own for them: one that is slow or away delays no lock.
package final class CheckpointTopics: Sendable {
    private let topics: [LogID: [CheckpointTopic]]

    /// - Parameter brokers: those without a checkpoint topic are ignored.
    package init(_ brokers: [MQTTBroker], clock: any GatewayClock, random: RandomSource, logger: Logger) {
        topics = Dictionary(
            grouping: brokers.compactMap { broker in
                broker.checkpointTopic.map { CheckpointTopic(broker, $0, clock: clock, random: random, logger: logger) }
            }, by: \.log)
    }

    /// Connects to the brokers, and reconnects until `stop`.
    ///
    /// - Parameter excluded: names of brokers on which a lock uses the topic. No checkpoint is published there.
    package func start(except excluded: Set<String> = []) {
        for topic in topics.values.joined() { topic.start(isExcluded: excluded.contains(topic.broker)) }
    }

    /// Publishes a checkpoint to the brokers of its log, now or as soon as they are connected. Does not wait.
    ///
    /// - Parameter note: the signed note; later calls replace it.
    package func publish(_ note: String, of log: LogID) { for topic in topics[log] ?? [] { topic.publish(note) } }

    /// Disconnects. The retained messages stay on the brokers.
    package func stop() async { for topic in topics.values.joined() { await topic.stop() } }
}

/// The topic of one broker.
private final class CheckpointTopic: Sendable {
    private struct State {
        var connection: MQTTConnection?
        var newest: String?
    }

    let log: LogID
    let broker: String
    private let topic: MQTTTopic
    private let logger: Logger
    private let state = Mutex(State())

    init(_ broker: MQTTBroker, _ topic: MQTTTopic, clock: any GatewayClock, random: RandomSource, logger: Logger) {
        (log, self.broker) = (broker.portfolioID.map { .portfolio($0) } ?? .gateway, broker.name)
        (self.topic, self.logger) = (topic, logger)
        let connection = MQTTConnection(broker.settings, clock: clock, random: random) { [weak self] event in
            // Also after a reconnect: the broker may have lost its retained messages.
            if case .connected = event { self?.send() }
        }
        state.withLock { $0.connection = connection }
    }

    func start(isExcluded: Bool) {
        guard !isExcluded else {
            logger.error(
                "no checkpoint is published on a topic of a lock: change checkpointTopic in the configuration",
                metadata: ["broker": "\(broker)", "topic": "\(topic)"])
            return
        }
        state.withLock { $0.connection }?.start()
    }

    func stop() async { await state.withLock { $0.connection }?.stop() }

    func publish(_ note: String) {
        state.withLock { $0.newest = note }
        send()
    }

    /// Sends the newest checkpoint, if the broker is connected; otherwise the next connection sends it.
    private func send() {
        let (connection, newest) = state.withLock { ($0.connection, $0.newest) }
        guard let connection, let newest, connection.isConnected else { return }
        do throws(MQTTSendError) {
            try connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: Array(newest.utf8), qos: .atLeastOnce))
        } catch {
            logger.warning("a checkpoint could not be published", metadata: ["broker": "\(broker)", "because": "\(error)"])
        }
    }
}

import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import Logging

extension CheckpointTopics {
    /// - Throws: `CommandFailure`.
    convenience init(
        _ configuration: GatewayConfiguration, clock: any GatewayClock, random: RandomSource, logger: Logger
    ) throws {
        do throws(ConfigurationError) {
            let mqtt = try MQTTConfiguration(configuration.adapters.of(MQTTAdapterFactory().sections))
            try self.init(mqtt, clock: clock, random: random, logger: logger)
        } catch {
            throw CommandFailure(error.description)
        }
    }
}

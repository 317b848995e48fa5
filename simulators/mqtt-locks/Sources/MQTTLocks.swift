import ArgumentParser

/// `doorward-mqtt-locks`: plays real locks on a real broker.
@main
struct MQTTLocks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doorward-mqtt-locks", abstract: "Play a fleet of MQTT locks on a broker.")

    @Option(help: "The broker: mqtt://HOST:PORT.")
    var broker: String
}

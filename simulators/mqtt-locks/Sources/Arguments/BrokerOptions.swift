import ArgumentParser
import DoorwardMQTT
import Foundation

/// Options for the connection to the broker, and the fleet's credentials.
struct BrokerOptions: ParsableArguments {
    @Option(help: "The broker: mqtt://HOST[:PORT], or mqtts:// for TLS.")
    var broker: String?
    @Option(help: "A PEM file with the broker's certificate authority. Default: those of the system.")
    var caFile: String?
    @Option(help: "The user name of the fleet at the broker.")
    var username: String?
    @Option(help: "A file whose first line is the password.")
    var passwordFile: String?

    func validate() throws {
        if let broker, BrokerAddress(broker) == nil {
            throw ValidationError("--broker is mqtt://HOST[:PORT] or mqtts://HOST[:PORT], not \(broker).")
        }
        if caFile != nil, broker?.hasPrefix("mqtt://") == true {
            throw ValidationError("--ca-file is for mqtts://, and --broker says mqtt://.")
        }
        if passwordFile != nil, username == nil { throw ValidationError("--password-file needs --username.") }
    }

    /// Reads the files and makes the connection settings.
    ///
    /// - Throws: if a file cannot be used.
    func settings() throws -> MQTTSettings {
        guard let broker, let address = BrokerAddress(broker) else { throw ValidationError("--broker is missing.") }
        var settings = MQTTSettings(host: address.host, port: address.port, clientID: "")
        if address.isEncrypted { settings.tls = .init(authorityFile: caFile) }
        if let username { settings.user = .init(name: username, plainPassword: try password()) }
        settings.maximumBackoff = .seconds(2)
        return settings
    }

    func password() throws -> String {
        guard let passwordFile else { return "" }
        guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
            throw ValidationError("--password-file \(passwordFile) cannot be read.")
        }
        return text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
    }
}

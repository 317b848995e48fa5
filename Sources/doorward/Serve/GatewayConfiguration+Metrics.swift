import DoorwardAdapterKit
import DoorwardDomain

extension GatewayConfiguration {
    /// Reads the token of `/metrics`.
    ///
    /// - Returns: `nil` if none is configured.
    /// - Throws: a failure that names the file, if it cannot be read, or can be read by other users.
    func metricsToken() throws(CommandFailure) -> Secret<String>? {
        guard let path = metrics.tokenFile else { return nil }
        do throws(ConfigurationError) {
            return try ConfiguredFile(path: path, setting: origins.subject("metrics.tokenFile")).line(isSecret: true)
        } catch {
            throw CommandFailure(error.description)
        }
    }
}

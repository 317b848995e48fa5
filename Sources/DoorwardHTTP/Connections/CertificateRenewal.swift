internal import DoorwardControl
internal import DoorwardDomain
internal import Logging
internal import NIOCertificateReloading
internal import NIOSSL

/// Reads the certificate and its key again while the server runs. New connections get the new certificate; open ones keep theirs.
///
/// A pair that cannot be used, such as a new certificate whose key is still to be written, changes nothing.
struct CertificateRenewal: Sendable {
    /// Reads files, which can take long on a slow disk.
    static let executor = SeparateExecutor("tls.files")
    /// The time between two readings.
    static let interval = Duration.seconds(60)

    private let files: HTTPSettings.TLSFiles
    private let reloader: TimedCertificateReloader
    private let clock: any GatewayClock
    private let logger: Logger

    init(_ files: HTTPSettings.TLSFiles, clock: any GatewayClock, logger: Logger) {
        (self.files, self.clock, self.logger) = (files, clock, logger)
        // Its own timer is not used: `run` reloads by the gateway's clock.
        reloader = TimedCertificateReloader(
            refreshInterval: Self.interval,
            certificateSource: .init(location: .file(path: files.certificatePath), format: .pem),
            privateKeySource: .init(location: .file(path: files.privateKeyPath), format: .pem))
    }

    /// The configuration of the server, with the files as they are now.
    ///
    /// - Throws: if a file cannot be read or used.
    func configuration() throws -> TLSConfiguration {
        var configuration = try files.configuration()
        configuration.setCertificateReloader(reloader)
        return configuration
    }

    /// Reads the files every minute, until the task is cancelled. Logs each new certificate, and each new reason for keeping the old one.
    func run() async {
        var problem: String?
        repeat {
            let before = reloader.sslContextConfigurationOverride.certificateChain
            do {
                try reloader.reload()
                problem = nil
                if let before, before != reloader.sslContextConfigurationOverride.certificateChain {
                    logger.notice("new connections get a new certificate")
                }
            } catch {
                let reason = "\(error)"
                if reason != problem {
                    logger.warning(
                        "the certificate in use is kept, because its files cannot be used; `doorward config check` says why",
                        metadata: ["error": .string(reason)])
                }
                problem = reason
            }
        } while (try? await clock.sleep(until: clock.monotonicNow().advanced(by: Self.interval))) != nil
    }
}

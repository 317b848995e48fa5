import DoorwardAdapterKit
import DoorwardHTTP

extension GatewayConfiguration {
    /// Checks the certificate and the key for HTTPS.
    ///
    /// - Throws: a failure that names the first file that cannot be read or used.
    func checkTLSFiles() throws(CommandFailure) {
        guard let tls = http.tls else { return }
        let subjects = ["certificate", "privateKey"].map { origins.subject("http.tls.\($0)") }
        do throws(ConfigurationError) {
            try ConfiguredFile(path: tls.certificate, setting: subjects[0]).requireReadable()
            try ConfiguredFile(path: tls.privateKey, setting: subjects[1]).requireReadable()
        } catch {
            throw CommandFailure(error.description)
        }
        do throws(HTTPSettings.TLSFiles.Problem) {
            try HTTPSettings.TLSFiles(certificatePath: tls.certificate, privateKeyPath: tls.privateKey).check()
        } catch {
            switch error {
            case .noCertificate:
                throw CommandFailure("\(subjects[0]): the file `\(tls.certificate)` contains no certificate in PEM")
            case .noPrivateKey:
                throw CommandFailure("\(subjects[1]): the file `\(tls.privateKey)` contains no unencrypted private key in PEM")
            case .mismatch:
                throw CommandFailure(
                    "\(subjects[1]): the key `\(tls.privateKey)` does not belong to the certificate `\(tls.certificate)`")
            }
        }
    }
}

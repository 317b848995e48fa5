import DoorwardAdapterKit
import DoorwardControl
import DoorwardHTTP
import FoundationEssentials

extension GatewayConfiguration {
    /// Reads the root certificate of purchases.
    ///
    /// - Returns: `nil` if no purchases are accepted.
    /// - Throws: a failure that names the file, if it cannot be read or contains no certificate.
    func purchaseVerifier() throws(CommandFailure) -> AppStoreVerifier? {
        guard let purchases else { return nil }
        let subject = origins.subject("iap.rootCertificate")
        do throws(ConfigurationError) {
            try ConfiguredFile(path: purchases.rootCertificate, setting: subject).requireReadable()
        } catch {
            throw CommandFailure(error.description)
        }
        let rules = PurchaseRules(bundleID: purchases.bundleID, environments: Set(purchases.environments))
        guard let file = try? Data(contentsOf: URL(filePath: purchases.rootCertificate)),
            let verifier = AppStoreVerifier(roots: Array(file), rules: rules)
        else {
            throw CommandFailure("\(subject): the file `\(purchases.rootCertificate)` contains no certificate in DER or PEM")
        }
        return verifier
    }
}

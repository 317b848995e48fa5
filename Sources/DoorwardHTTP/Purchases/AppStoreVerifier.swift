package import DoorwardControl
internal import DoorwardDomain
internal import FoundationEssentials
internal import JWTKit
internal import SwiftASN1
internal import X509

/// Verifies signed transactions of the App Store: a JWS with ES256, whose certificates lead to a trusted root
/// (docs/decisions/0090-a-purchase-is-verified-offline-and-belongs-to-one-user.md).
package struct AppStoreVerifier: Sendable {
    /// The purchases that are accepted.
    package let rules: PurchaseRules
    private let verifier: X5CVerifier

    /// - Parameter roots: the content of a file with the trusted root certificates: one in DER, or one or more in PEM.
    /// - Returns: `nil` if the file contains no certificate, or anything else.
    package init?(roots: [UInt8], rules: PurchaseRules) {
        guard let certificates = Self.certificates(in: roots), let verifier = try? X5CVerifier(rootCertificates: certificates)
        else { return nil }
        (self.rules, self.verifier) = (rules, verifier)
    }

    private static let chainErrors: Set<JWTError.ErrorType> = [.invalidX5CChain, .missingX5CHeader]

    private static func certificates(in file: [UInt8]) -> [Certificate]? {
        if let certificate = try? Certificate(derEncoded: file) { return [certificate] }
        // PEM is ASCII; any other text contains no certificate.
        guard let text = String(validating: file, as: UTF8.self),
            let documents = try? PEMDocument.parseMultiple(pemString: text), !documents.isEmpty,
            let certificates = try? documents.map({ try Certificate(pemDocument: $0) })
        else { return nil }
        return certificates
    }

    /// Verifies the chain and the signature of a transaction, and reads its purchase.
    ///
    /// - Throws: `.invalidReceipt` with `.chain` or `.signature`.
    func verify(_ transaction: SignedTransaction) async throws(GatewayError) -> SignedPurchase {
        let claims: TransactionClaims
        do {
            claims = try await verifier.verifyJWS(
                Array(transaction.text.utf8), as: TransactionClaims.self, jsonDecoder: .defaultForJWT,
                policy: { AppStoreMarkers() })
        } catch let error as JWTError where !Self.chainErrors.contains(error.errorType) {
            throw .invalidReceipt(.signature)
        } catch {
            // An unreadable certificate, or a chain that the policies reject.
            throw .invalidReceipt(.chain)
        }
        guard let id = claims.originalTransactionId ?? claims.transactionId, !id.isEmpty else {
            throw .invalidReceipt(.signature)
        }
        return SignedPurchase(
            originalTransactionID: id, productID: claims.productId, bundleID: claims.bundleId, environment: claims.environment,
            isRevoked: claims.revocationDate != nil,
            expiresAt: claims.expiresDate.map { Timestamp(milliseconds: $0) })
    }
}

/// Requires the chain of the App Store: a leaf and an intermediate with Apple's marker extensions, and the root. The same is
/// checked by Apple's own library (app-store-server-library-swift, `ChainVerifier`).
private struct AppStoreMarkers: VerifierPolicy {
    /// Marks certificates that sign receipts of the App Store.
    static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
    /// Marks Apple's intermediate authority for these certificates.
    static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard chain.count == 3 else { return .failsToMeetPolicy(reason: "the chain has not exactly three certificates") }
        guard chain[0].extensions[oid: Self.leaf] != nil, chain[1].extensions[oid: Self.intermediate] != nil else {
            return .failsToMeetPolicy(reason: "a certificate lacks the marker of the App Store")
        }
        return .meetsPolicy
    }
}

/// A transaction in the form that the App Store signs it, not yet verified.
struct SignedTransaction: Sendable {
    /// The maximum length, in bytes. Transactions of the App Store have about 6,000 bytes.
    static let maxBytes = 32_768
    /// The validity of certificates is checked for times in this range: years 1970 to 9999, those of an X.509 certificate.
    private static let validTimes: ClosedRange<Int64> = 0...253_402_300_799_999

    let text: String

    /// Checks the form before the library reads the text: each part in its only encoding, the algorithm, three certificates, and
    /// times that the library can convert.
    ///
    /// - Throws: `.invalidReceipt` with `.signature`, or with `.chain` if there are not three certificates.
    init(_ text: String) throws(GatewayError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maxBytes, parts.count == 3, Base64URL.decode(parts[2])?.count == 64,
            case .object(let header)? = Base64URL.decode(parts[0]).flatMap({ try? JSONValue.parse($0) }),
            case .object(let claims)? = Base64URL.decode(parts[1]).flatMap({ try? JSONValue.parse($0) }),
            header["alg"] == .string("ES256"), header["crit"] == nil
        else { throw .invalidReceipt(.signature) }
        for name in ["signedDate", "purchaseDate", "expiresDate", "revocationDate"] {
            switch claims[name] {
            case nil, .null?: continue
            case .integer(let milliseconds)? where Self.validTimes.contains(milliseconds): continue
            default: throw .invalidReceipt(.signature)
            }
        }
        guard case .array(let chain)? = header["x5c"], chain.count == 3 else { throw .invalidReceipt(.chain) }
        self.text = text
    }
}

/// The claims of a transaction that are used (App Store Server API, `JWSTransactionDecodedPayload`). Times are milliseconds.
private struct TransactionClaims: ValidationTimePayload {
    let transactionId: String?
    let originalTransactionId: String?
    let productId: String?
    let bundleId: String?
    let environment: String?
    let purchaseDate: Int64?
    let revocationDate: Int64?
    let expiresDate: Int64?
    private let signedMilliseconds: Int64?

    /// The time at which the certificates must have been valid.
    var signedDate: Date { Date(timeIntervalSince1970: Double(signedMilliseconds ?? purchaseDate ?? 0) / 1000) }

    private enum CodingKeys: String, CodingKey {
        case transactionId, originalTransactionId, productId, bundleId, environment, purchaseDate, revocationDate, expiresDate
        case signedMilliseconds = "signedDate"
    }

    func verify(using algorithm: some JWTAlgorithm) {}
}

import Crypto
import DoorwardControl
import Foundation
import SwiftASN1
import X509

@testable import DoorwardHTTP

/// An App Store of tests: a root, an intermediate and a leaf certificate with keys of their own, and transactions signed by the leaf.
struct TestAppStore: Sendable {
    /// The store of tests that need no other one.
    static let shared = Result { try TestAppStore() }
    static let bundle = "com.unifiedsmarthome.app"
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    /// The time at which transactions are signed, unless they name another one: that of the virtual clock's start.
    static let signedAt: Int64 = 1_795_219_200_000

    /// How the certificates differ from valid ones.
    struct Variation {
        var leafMarker: ASN1ObjectIdentifier? = TestAppStore.leafMarker
        var intermediateMarker: ASN1ObjectIdentifier? = TestAppStore.intermediateMarker
        var intermediateIsAuthority = true
        /// The validity of the leaf, in seconds around `signedAt`.
        var validity: ClosedRange<Double> = -86_400...86_400
        /// The validity of root and intermediate.
        var authorityValidity: ClosedRange<Double> = -864_000...864_000
    }

    let root: Certificate
    let intermediate: Certificate
    let leaf: Certificate
    let leafKey = P256.Signing.PrivateKey()
    let rootKey = P256.Signing.PrivateKey()
    let intermediateKey = P256.Signing.PrivateKey()

    init(_ variation: Variation = Variation()) throws {
        let rootName = try DistinguishedName { CommonName("Test Root") }
        let intermediateName = try DistinguishedName { CommonName("Test Intermediate") }
        root = try Self.certificate(
            rootName, key: rootKey, by: rootName, rootKey, isAuthority: true, marker: nil, validity: variation.authorityValidity)
        intermediate = try Self.certificate(
            intermediateName, key: intermediateKey, by: rootName, rootKey, isAuthority: variation.intermediateIsAuthority,
            marker: variation.intermediateMarker, validity: variation.authorityValidity)
        leaf = try Self.certificate(
            try DistinguishedName { CommonName("Test Leaf") }, key: leafKey, by: intermediateName, intermediateKey,
            isAuthority: false, marker: variation.leafMarker, validity: variation.validity)
    }

    static func certificate(
        _ subject: DistinguishedName, key: P256.Signing.PrivateKey, by issuer: DistinguishedName,
        _ issuerKey: P256.Signing.PrivateKey, isAuthority: Bool, marker: ASN1ObjectIdentifier?, validity: ClosedRange<Double>
    ) throws -> Certificate {
        let signedAt = Date(timeIntervalSince1970: Double(signedAt) / 1000)
        var extensions = try Certificate.Extensions {
            if isAuthority {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            } else {
                Critical(BasicConstraints.notCertificateAuthority)
            }
        }
        if let marker { try extensions.append(Certificate.Extension(oid: marker, critical: false, value: [5, 0])) }
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: signedAt.addingTimeInterval(validity.lowerBound),
            notValidAfter: signedAt.addingTimeInterval(validity.upperBound), issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: .init(issuerKey))
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try certificate.serialize(into: &serializer)
        return serializer.serializedBytes
    }

    var chain: [Certificate] { [leaf, intermediate, root] }

    /// The server's settings that trust this store.
    func settings(environments: Set<String> = ["Production"]) throws -> HTTPSettings {
        var settings = HTTPSettings()
        settings.purchaseVerifier = AppStoreVerifier(
            roots: try Self.der(root), rules: PurchaseRules(bundleID: Self.bundle, environments: environments))
        return settings
    }

    /// The claims of a purchase of the pack.
    static func claims(_ id: String = "2000000123456789") -> [String: Any] {
        [
            "transactionId": id, "originalTransactionId": id, "productId": Purchases.compliancePack, "bundleId": bundle,
            "environment": "Production", "type": "Non-Consumable", "purchaseDate": signedAt - 1000, "signedDate": signedAt,
        ]
    }

    /// A transaction with these claims, signed by the leaf.
    func transaction(
        _ claims: [String: Any] = claims(), chain: [Certificate]? = nil, header: [String: Any] = [:],
        key: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        var fields: [String: Any] = [
            "alg": "ES256", "x5c": try (chain ?? self.chain).map { Data(try Self.der($0)).base64EncodedString() },
        ]
        fields.merge(header) { $1 }
        return try Self.signed(fields, claims) { try (key ?? leafKey).signature(for: $0).rawRepresentation }
    }

    static func signed(_ header: [String: Any], _ claims: [String: Any], _ sign: (Data) throws -> Data) throws -> String {
        let parts = try [header, claims].map {
            encoded(try JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys, .withoutEscapingSlashes]))
        }
        let text = parts.joined(separator: ".")
        return "\(text).\(encoded(try sign(Data(text.utf8))))"
    }

    static func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

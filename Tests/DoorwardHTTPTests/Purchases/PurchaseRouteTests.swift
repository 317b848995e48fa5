import Crypto
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Foundation
import HTTPTypes
import SwiftASN1
import Testing
import X509

@testable import DoorwardHTTP

/// `POST /iap/validate-receipt`.
@Suite struct PurchaseRouteTests {
    private static let path = "/iap/validate-receipt"

    static func body(_ receipt: String, _ product: String = Purchases.compliancePack) -> String {
        let object = ["receiptData": receipt, "productId": product]
        let data = try? JSONSerialization.data(withJSONObject: object, options: .withoutEscapingSlashes)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    static func redeem(_ receipt: String, as person: House.Person, in house: House) async throws -> Reply {
        try await house.call(.post, path, as: person, body(receipt))
    }

    private static func expect(_ problem: String, _ receipt: String, in house: House, _ note: Comment? = nil) async throws {
        let reply = try await redeem(receipt, as: .owner, in: house)
        #expect(reply.status == 400 && reply.code == "invalid_receipt", note)
        #expect(reply.details == .object(["problem": .string(problem)]), note)
    }

    private static func hasPack(_ person: House.Person, in house: House) async throws -> Bool? {
        try await house.call(.get, "/users/me", as: person).data["user"]["hasCompliancePack"].flag
    }

    @Test("a valid receipt gives its user the pack, is recorded once, and can be sent again")
    func valid() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings())
        #expect(try await Self.hasPack(.owner, in: house) == false)
        let receipt = try appStore.transaction()
        let sizes = { house.store.log(.gateway).count + house.store.log(.portfolio(house.ids.portfolio)).count }
        let before = sizes()
        let reply = try await Self.redeem(receipt, as: .owner, in: house)
        #expect(reply.status == 200 && reply.data.keys == ["user", "message"])
        #expect(reply.data["user"]["hasCompliancePack"].flag == true)
        #expect(reply.data["user"]["id"].text == "\(house.ids[.owner])")
        #expect(try await Self.hasPack(.owner, in: house) == true)
        #expect(try await Self.hasPack(.admin, in: house) == false)
        #expect(sizes() == before + 2)
        for log in [LogID.gateway, .portfolio(house.ids.portfolio)] {
            let record = try #require(house.store.log(log).last).body
            #expect(record.kind == .adminChange && record.action == .update)
            #expect(record.target == RecordTarget(type: "User", id: "\(house.ids[.owner])"))
            #expect(record.actor.userID == house.ids[.owner])
            #expect(record.details["after"] == .object(["hasCompliancePack": .bool(true)]))
            #expect(record.details["before"] == .object(["hasCompliancePack": .bool(false)]))
        }
        // The same purchase once more, also as a restored one with another id of the transaction.
        #expect(try await Self.redeem(receipt, as: .owner, in: house).status == 200)
        var restored = TestAppStore.claims()
        restored["transactionId"] = "2000000999"
        #expect(try await Self.redeem(appStore.transaction(restored), as: .owner, in: house).status == 200)
        #expect(sizes() == before + 2)
        // A restart keeps it.
        let reopened = house.store.reopened()
        let users = Seen<[User]>([])
        try await reopened.loadTenancy { change in
            if case .putUser(let user) = change { users.change { $0.append(user) } }
        }
        #expect(users.value.first { $0.id == house.ids[.owner] }?.hasCompliancePack == true)
    }

    @Test("a user without a role gets the pack too, which is recorded in the gateway's log only")
    func withoutRole() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings())
        for person in [House.Person.nobody, .tenant] {
            let size = house.store.log(.portfolio(house.ids.portfolio)).count
            let claims = TestAppStore.claims("1\(person)")
            #expect(try await Self.redeem(appStore.transaction(claims), as: person, in: house).status == 200)
            #expect(house.store.log(.portfolio(house.ids.portfolio)).count == size)
        }
    }

    @Test("a purchase belongs to one user, also after that user is deleted, and for every spelling of its receipt")
    func oneUser() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings(environments: ["Production", "Sandbox"]))
        #expect(try await Self.redeem(appStore.transaction(), as: .tenant, in: house).status == 200)
        var claims = TestAppStore.claims()
        claims["transactionId"] = "another"
        for receipt in [try appStore.transaction(), try appStore.transaction(claims)] {
            let reply = try await Self.redeem(receipt, as: .owner, in: house)
            #expect(reply.status == 409 && reply.code == "receipt_used" && reply.details == .object([:]))
        }
        #expect(try await Self.hasPack(.owner, in: house) == false)
        let path = "/users/\(house.ids[.tenant])"
        #expect(try await house.call(.delete, path, as: .superAdmin).status == 204)
        #expect(try await Self.redeem(appStore.transaction(), as: .owner, in: house).status == 409)
        // The same number in another environment is another purchase.
        claims["environment"] = "Sandbox"
        #expect(try await Self.redeem(appStore.transaction(claims), as: .owner, in: house).status == 200)
    }

    @Test("of two users who redeem one purchase at the same time, one gets it", arguments: 0..<8 as Range<UInt64>)
    func race(seed: UInt64) async throws {
        let appStore = try TestAppStore()
        let house = try await House(seed: seed, settings: appStore.settings())
        let receipt = try appStore.transaction()
        let people = [House.Person.owner, .admin]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for person in people + people {
                group.addTask { try await Self.redeem(receipt, as: person, in: house).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 200, 409, 409])
        var packs = 0
        for person in people { packs += try await Self.hasPack(person, in: house) == true ? 1 : 0 }
        #expect(packs == 1)
    }

    @Test("product, bundle, environment, revocation and expiry are checked, in this order")
    func claims() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings())
        let valid = TestAppStore.claims()
        func changed(_ changes: [String: Any?]) -> [String: Any] {
            var claims = valid
            for (name, value) in changes { claims[name] = value }
            return claims
        }
        let now = TestAppStore.signedAt
        let cases: [(String, [String: Any?])] = [
            ("product", ["productId": "com.unifiedsmarthome.other"]), ("product", ["productId": nil]),
            ("product", ["productId": Purchases.compliancePack.uppercased(), "bundleId": "x"]),
            ("bundle", ["bundleId": "com.example.other", "environment": "Xcode"]), ("bundle", ["bundleId": nil]),
            ("environment", ["environment": "Sandbox", "revocationDate": now]), ("environment", ["environment": nil]),
            ("environment", ["environment": "production"]),
            ("revoked", ["revocationDate": now - 1, "expiresDate": now - 1]), ("expired", ["expiresDate": now - 1]),
        ]
        for (problem, changes) in cases {
            try await Self.expect(problem, appStore.transaction(changed(changes)), in: house, "\(changes)")
        }
        let other = try await house.call(
            .post, Self.path, as: .owner, Self.body(appStore.transaction(), "com.unifiedsmarthome.other"))
        #expect(other.status == 400 && other.details["problem"].text == "product")
        #expect(try await Self.hasPack(.owner, in: house) == false)
        let future = Int64(4_000_000_000_000)
        let lasting = changed(["expiresDate": future, "revocationDate": NSNull()])
        #expect(try await Self.redeem(appStore.transaction(lasting), as: .owner, in: house).status == 200)
        #expect(
            try await Self.redeem(appStore.transaction(changed(["originalTransactionId": nil])), as: .owner, in: house).status
                == 200)
    }

    @Test("the chain must lead to the trusted root, with the App Store's markers, in order, valid when it was signed")
    func chain() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings())
        func expectChain(_ receipt: String, _ note: Comment) async throws {
            try await Self.expect("chain", receipt, in: house, note)
        }
        let (leaf, intermediate, root) = (appStore.leaf, appStore.intermediate, appStore.root)
        let chains: [(Comment, [Certificate])] = [
            ("none", []), ("one", [leaf]), ("two", [leaf, intermediate]), ("four", [leaf, intermediate, root, root]),
            ("reversed", [root, intermediate, leaf]), ("swapped", [intermediate, leaf, root]), ("root only", [root, root, root]),
            ("no intermediate", [leaf, root, root]),
        ]
        for (note, chain) in chains { try await expectChain(appStore.transaction(chain: chain), note) }
        // The signature is right, but of a leaf that its own, unknown root has certified.
        let other = try TestAppStore()
        try await expectChain(other.transaction(), "a self-made root")
        try await expectChain(other.transaction(chain: [other.leaf, other.intermediate, root]), "the trusted root beside it")
        try await expectChain(other.transaction(chain: [other.leaf, intermediate, root]), "the leaf of another chain")
        for (note, header) in [
            ("no x5c", ["x5c": NSNull()]), ("text", ["x5c": "MII"]), ("no certificates", ["x5c": ["AA==", "AA==", "AA=="]]),
            ("numbers", ["x5c": [1, 2, 3]]), ("not Base64", ["x5c": ["%", "%", "%"]]),
        ] as [(Comment, [String: Any])] {
            try await expectChain(appStore.transaction(header: header), note)
        }
        // Outside the validity of the leaf, and of the authorities.
        let day: Int64 = 86_400_000
        for offset in [-11 * day, -2 * day, 2 * day, 11 * day] {
            var claims = TestAppStore.claims()
            claims["signedDate"] = TestAppStore.signedAt + offset
            try await expectChain(appStore.transaction(claims), "signed at \(offset) ms")
        }
        #expect(try await Self.hasPack(.owner, in: house) == false)
        // The receipt is still valid long after the leaf has expired: the time of its signature counts.
        house.clock.advance(by: .seconds(20 * 86_400))
        #expect(try await Self.redeem(appStore.transaction(), as: .owner, in: house).status == 200)
    }

    @Test("certificates without the App Store's markers are rejected although the trusted root has issued them")
    func markers() async throws {
        let variations: [(Comment, (inout TestAppStore.Variation) -> Void)] = [
            ("no marker of the leaf", { $0.leafMarker = nil }),
            ("another marker of the leaf", { $0.leafMarker = TestAppStore.intermediateMarker }),
            ("no marker of the intermediate", { $0.intermediateMarker = nil }),
            ("the intermediate is no authority", { $0.intermediateIsAuthority = false }),
            ("the leaf has expired", { $0.validity = -86_400 ... -1 }),
            ("the authorities have expired", { $0.authorityValidity = -86_400 ... -1 }),
            ("the leaf is not yet valid", { $0.validity = 1...86_400 }),
        ]
        for (note, vary) in variations {
            var variation = TestAppStore.Variation()
            vary(&variation)
            let appStore = try TestAppStore(variation)
            let house = try await House(settings: appStore.settings())
            try await Self.expect("chain", appStore.transaction(), in: house, note)
        }
    }

    @Test("another algorithm, another key and texts that are no JWS fail at the signature")
    func signature() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings())
        let receipt = try appStore.transaction()
        let parts = receipt.split(separator: ".").map(String.init)
        func header(_ algorithm: Any) throws -> [String: Any] {
            ["alg": algorithm, "x5c": try appStore.chain.map { Data(try TestAppStore.der($0)).base64EncodedString() }]
        }
        let leafKey = appStore.leafKey.publicKey
        let secrets = [Data("secret".utf8), Data(leafKey.pemRepresentation.utf8), leafKey.x963Representation]
        var receipts: [(Comment, String)] = [
            ("no JWS", "receipt"), ("two parts", parts[0...1].joined(separator: ".")),
            ("no signature", "\(parts[0]).\(parts[1])."),
            ("five parts", "\(receipt).a.b"), ("spaces", "\(parts[0]). \(parts[1]).\(parts[2])"), ("padding", "\(receipt)=="),
            ("another key", try appStore.transaction(key: P256.Signing.PrivateKey())),
            ("the intermediate's key", try appStore.transaction(key: appStore.intermediateKey)),
            ("crit", try appStore.transaction(header: ["crit": ["exp"]])),
            (
                "a DER signature",
                try TestAppStore.signed(header("ES256"), TestAppStore.claims()) {
                    try appStore.leafKey.signature(for: $0).derRepresentation
                }
            ),
            ("no ids", try appStore.transaction(TestAppStore.claims().filter { !$0.key.hasSuffix("ransactionId") })),
            ("an empty id", try appStore.transaction(TestAppStore.claims(""))),
        ]
        for algorithm in ["none", "None", "HS256", "ES384", "RS256", "EdDSA", "es256", ""] {
            receipts.append(
                (
                    "\(algorithm)",
                    try TestAppStore.signed(header(algorithm), TestAppStore.claims()) {
                        try appStore.leafKey.signature(for: $0).rawRepresentation
                    }
                ))
        }
        for algorithm in ["none", "HS256"] {
            receipts.append(
                ("\(algorithm), unsigned", try TestAppStore.signed(header(algorithm), TestAppStore.claims()) { _ in Data() }))
        }
        for secret in secrets {
            receipts.append(
                (
                    "HMAC",
                    try TestAppStore.signed(header("HS256"), TestAppStore.claims()) {
                        Data(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret)))
                    }
                ))
        }
        // Times that no certificate can have: the library traps on some of them.
        for time in [-1, Int64.max, 253_402_300_800_000, 1e300, 0.5, "2026", true, [1]] as [Any] {
            for name in ["signedDate", "purchaseDate", "expiresDate", "revocationDate"] {
                var claims = TestAppStore.claims()
                claims[name] = time
                receipts.append(("\(name) \(time)", try appStore.transaction(claims)))
            }
        }
        for (note, receipt) in receipts { try await Self.expect("signature", receipt, in: house, note) }
        #expect(try await Self.hasPack(.owner, in: house) == false)
    }

    @Test("no byte of a receipt can be changed")
    func alteredBytes() async throws {
        let appStore = try TestAppStore()
        let verifier = try #require(try appStore.settings().purchaseVerifier)
        let receipt = Array(try appStore.transaction().utf8)
        func isAccepted(_ bytes: [UInt8]) async -> Bool {
            guard let transaction = try? SignedTransaction(String(decoding: bytes, as: UTF8.self)) else { return false }
            return (try? await verifier.verify(transaction)) != nil
        }
        #expect(await isAccepted(receipt))
        let dots = receipt.indices.filter { receipt[$0] == UInt8(ascii: ".") }
        // Every byte of the payload and of the signature, and every fifth one of the certificates, which cost more.
        let positions = receipt.indices.filter { $0 >= dots[0] || $0.isMultiple(of: 5) }
        var accepted: [Int] = []
        for position in positions {
            var altered = receipt
            altered[position] = altered[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            if await isAccepted(altered) { accepted.append(position) }
            let longer = Array(receipt[..<position]) + [UInt8(ascii: "A")] + receipt[position...]
            if await isAccepted(longer) { accepted.append(-position) }
        }
        #expect(accepted.isEmpty)
        #expect(await !isAccepted(receipt.dropLast()))
    }

    @Test("bodies are checked first, and a large one is not read")
    func bodies() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings())
        let cases: [(String, [String])] = [
            ("{}", ["productId: required", "receiptData: required"]),
            (#"{"receiptData":1,"productId":true}"#, ["productId: wrong_type", "receiptData: wrong_type"]),
            (Self.body(String(repeating: "A", count: 32_769)), ["receiptData: too_long"]),
            (Self.body("a.b.c", String(repeating: "A", count: 257)), ["productId: too_long"]),
            (#"{"receiptData":"a","productId":"b","userId":"c"}"#, ["userId: unknown_key"]),
        ]
        for (body, problems) in cases {
            let reply = try await house.call(.post, Self.path, as: .owner, body)
            #expect(
                reply.status == 400 && reply.code == "invalid_request" && reply.problems.sorted() == problems,
                "\(body.prefix(80))")
        }
        let large = try await house.call(.post, Self.path, as: .owner, Self.body(String(repeating: "A", count: 66_000)))
        #expect(large.status == 413 && large.code == "payload_too_large")
        #expect(try await house.call(.post, Self.path, as: nil, Self.body("a.b.c")).status == 401)
        #expect(try await house.call(.get, Self.path, as: .owner).status == 405)
    }

    @Test("a gateway without a root certificate rejects malformed receipts as such, and says that it validates none")
    func notConfigured() async throws {
        let house = try await House()
        try await Self.expect("signature", "no receipt", in: house)
        let reply = try await Self.redeem(try TestAppStore().transaction(), as: .owner, in: house)
        #expect(reply.status == 503 && reply.code == "unavailable" && reply.json["message"].text?.contains("`iap`") == true)
        #expect(try await Self.hasPack(.owner, in: house) == false)
    }

    @Test("an API key has no purchases")
    func apiKey() async throws {
        let appStore = try TestAppStore()
        let house = try await House(settings: appStore.settings())
        let made = try await house.call(
            .post, "/api-keys", as: .owner,
            #"{"name":"k","entityType":"PORTFOLIO","entityId":"\#(house.ids.portfolio)","role":"AUDITOR","expiresAt":"\#(house.clock.now().advanced(by: .seconds(86_400)))"}"#
        )
        let secret = try #require(made.data["secret"].text)
        let reply = try await house.send(
            .post, "/api/v1\(Self.path)", [.authorization: "Bearer \(secret)", .contentType: "application/json"],
            Self.body(appStore.transaction()))
        #expect(reply.status == 403 && reply.code == "forbidden")
        #expect(try await Self.hasPack(.owner, in: house) == false)
    }

    @Test("the root certificate is read from DER and PEM, and other files are refused")
    func roots() throws {
        let (one, two) = (try TestAppStore(), try TestAppStore())
        let rules = PurchaseRules(bundleID: "b", environments: [])
        let pem = try one.root.serializeAsPEM().pemString
        let both = try pem + "\n" + two.root.serializeAsPEM().pemString + "\n"
        let der = try TestAppStore.der(one.root)
        for file in [der, Array(pem.utf8), Array(both.utf8)] { #expect(AppStoreVerifier(roots: file, rules: rules) != nil) }
        let key = one.rootKey.pemRepresentation
        for file in [[], Array("root".utf8), Array(der.dropLast()), der + [0], Array(key.utf8), Array((pem + "\n" + key).utf8)] {
            #expect(AppStoreVerifier(roots: file, rules: rules) == nil)
        }
    }
}

import Crypto
import CryptoExtras
import Dispatch
package import DoorwardDomain
import FoundationEssentials
import Synchronization

/// Hashes passwords with scrypt (RFC 7914), one at a time and off the threads that serve requests, since each costs a
/// quarter of a second and 128 MiB by intent.
package final class PasswordHasher: Sendable {
    /// How many may wait for the one that is running; one more is refused.
    static let longestQueue = 8

    private let cost: Int
    private let random: RandomSource
    private let queue = DispatchQueue(label: "doorward.passwords")
    private let waiting = Mutex(0)
    /// The hash of a password that nobody has, so that an unknown user costs as much as a known one.
    private let decoy: ScryptHash
    /// The greatest cost known: every verification does as much work as this one, whatever its own hash costs.
    private let highestCost: Mutex<Int>

    /// - Parameter cost: log2 of scrypt's N: 17 takes about 128 MiB and 0.25 s (OWASP's first row for scrypt).
    package init(cost: Int, random: RandomSource) {
        (self.cost, self.random) = (cost, random)
        highestCost = Mutex(cost)
        decoy = ScryptHash(cost: cost, salt: random.bytes(16), key: random.bytes(32))
    }

    /// - Returns: a PHC string.
    /// - Throws: `.unavailable` when too many wait.
    package func hash(_ password: Secret<String>) async throws(GatewayError) -> String {
        let (cost, salt) = (cost, random.bytes(16))
        return try await onQueue { try ScryptHash(hashing: password, cost: cost, salt: salt).phcString }
    }

    /// Whether `password` is the one that `phcString` was made from.
    ///
    /// Takes as long when there is no hash to compare with, or one of another cost: 2^c and then 2^c, 2^(c+1) … make up
    /// the work of the greatest cost, so that time does not tell which accounts there are.
    package func verify(_ password: Secret<String>, against phcString: String?) async throws(GatewayError) -> Bool {
        let stored = phcString.flatMap { ScryptHash(phcString: $0) }
        let compared = stored ?? decoy
        let highest = noteCost(compared.cost)
        let matches = try await onQueue {
            let matches = try ScryptHash(hashing: password, cost: compared.cost, salt: compared.salt) == compared
            for cost in compared.cost..<highest { _ = try ScryptHash(hashing: password, cost: cost, salt: compared.salt) }
            return matches
        }
        return matches && stored != nil
    }

    /// Whether a hash was made at another cost than new ones are.
    func isOutdated(_ phcString: String?) -> Bool {
        phcString.flatMap { ScryptHash(phcString: $0) }.map { $0.cost != cost } ?? false
    }

    /// Learns the cost of a hash that is in the store.
    func noteCost(of phcString: String?) {
        if let stored = phcString.flatMap({ ScryptHash(phcString: $0) }) { _ = noteCost(stored.cost) }
    }

    private func noteCost(_ cost: Int) -> Int {
        highestCost.withLock { highest in
            highest = max(highest, cost)
            return highest
        }
    }

    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(GatewayError) -> Value {
        let isAdmitted = waiting.withLock { waiting in
            guard waiting <= Self.longestQueue else { return false }
            waiting += 1
            return true
        }
        guard isAdmitted else { throw .unavailable }
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { try work() }) }
        }
        waiting.withLock { $0 -= 1 }
        do {
            return try result.get()
        } catch {
            throw .internalFailure("scrypt failed: \(error)")
        }
    }
}

/// One scrypt hash with its parameters; r is 8 and p is 1 throughout.
private struct ScryptHash: Sendable {
    let cost: Int
    let salt: [UInt8]
    let key: [UInt8]

    init(cost: Int, salt: [UInt8], key: [UInt8]) { (self.cost, self.salt, self.key) = (cost, salt, key) }

    init(hashing password: Secret<String>, cost: Int, salt: [UInt8]) throws {
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.reveal().utf8), salt: salt, outputByteCount: 32, rounds: 1 << cost, blockSize: 8, parallelism: 1)
        self.init(cost: cost, salt: salt, key: key.withUnsafeBytes { Array($0) })
    }

    /// Reads `$scrypt$ln=17,r=8,p=1$salt$key`, base64 without padding (the PHC string format).
    init?(phcString: String) {
        let parts = phcString.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", parts[2].hasPrefix("ln="), parts[2].hasSuffix(",r=8,p=1"),
            let cost = Int(parts[2].dropFirst(3).dropLast(8)), (10...24).contains(cost),
            let salt = Data(base64Encoded: Self.padded(parts[3])), let key = Data(base64Encoded: Self.padded(parts[4]))
        else { return nil }
        self.init(cost: cost, salt: Array(salt), key: Array(key))
    }

    var phcString: String { "$scrypt$ln=\(cost),r=8,p=1$\(Self.base64(salt))$\(Self.base64(key))" }

    /// Compares the keys in constant time.
    static func == (a: Self, b: Self) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            HMAC<SHA256>.authenticationCode(for: a.key, using: comparisonKey), authenticating: b.key, using: comparisonKey)
    }

    /// Both sides are put through an HMAC, whose comparison is in constant time; the key need not be secret for that.
    private static let comparisonKey = SymmetricKey(data: [UInt8](repeating: 0, count: 32))

    private static func base64(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    private static func padded(_ text: Substring) -> String {
        text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}

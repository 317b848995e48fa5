import Crypto
import CryptoExtras
package import DoorwardDomain
package import DoorwardKernel
import FoundationEssentials
import Synchronization

/// Hashes passwords with scrypt (RFC 7914), one at a time and not on the threads that serve requests, as each hash deliberately
/// costs a quarter of a second and 128 MiB.
package final class PasswordHasher: Sendable {
    /// The maximum number of queued hashes, in addition to the running one; further ones are rejected.
    static let maxQueued = 8
    /// The maximum number of hashes of signed-in users, of which each may have one. The other places in the queue are reserved for sign-ins
    /// and other requests of people who are not signed in, whose failures are limited.
    static let maxOfSignedIn = 4

    private struct Waiting {
        /// All hashes, including the running one.
        var count = 0
        /// The signed-in users with a hash in the queue.
        var users: Set<UserID> = []
    }

    private let cost: Int
    private let random: RandomSource
    private let thread = BlockingThread("passwords")
    private let waiting = Mutex(Waiting())
    /// A hash that matches no password, so that verification takes as long for an unknown user as for a known one.
    private let decoy: ScryptHash
    /// The highest known cost. Every verification does the work of this cost, regardless of the cost of its hash.
    private let highestCost: Mutex<Int>

    /// - Parameter cost: log2 of scrypt's N: 17 takes about 128 MiB and 0.25 s (the first scrypt setting that OWASP recommends).
    package init(cost: Int, random: RandomSource) {
        (self.cost, self.random) = (cost, random)
        highestCost = Mutex(cost)
        decoy = ScryptHash(cost: cost, salt: random.bytes(16), key: random.bytes(32))
    }

    /// Hashes a password at the configured cost.
    ///
    /// - Parameter user: the signed-in user whose request needs the hash; `nil` if nobody is signed in.
    /// - Returns: a PHC string.
    /// - Throws: `.unavailable` if the queue is full; `.rateLimited` if another request of the user is in it.
    package func hash(_ password: Secret<String>, for user: UserID? = nil) async throws(GatewayError) -> String {
        let (cost, salt) = (cost, random.bytes(16))
        return try await onThread(for: user) { try ScryptHash(hashing: password, cost: cost, salt: salt).phcString }
    }

    /// Whether `phcString` is a hash of `password`.
    ///
    /// Takes the same time for every account, even without a stored hash or with a hash of a lower
    /// cost, so that the time does not reveal which accounts exist. A hash of cost c takes 2^c
    /// units of work; additional hashes of cost c, c+1, … add up to the work of the highest cost.
    ///
    /// - Parameter user: as for `hash`.
    /// - Throws: as `hash`.
    package func verify(
        _ password: Secret<String>, against phcString: String?, for user: UserID? = nil
    ) async throws(GatewayError) -> Bool {
        let stored = phcString.flatMap { ScryptHash(phcString: $0) }
        let compared = stored ?? decoy
        let highest = raiseHighestCost(to: compared.cost)
        let matches = try await onThread(for: user) {
            let matches = try ScryptHash(hashing: password, cost: compared.cost, salt: compared.salt) == compared
            for cost in compared.cost..<highest { _ = try ScryptHash(hashing: password, cost: cost, salt: compared.salt) }
            return matches
        }
        return matches && stored != nil
    }

    /// Whether a hash has a cost other than the configured one.
    func isOutdated(_ phcString: String?) -> Bool {
        phcString.flatMap { ScryptHash(phcString: $0) }.map { $0.cost != cost } ?? false
    }

    /// Raises the highest known cost to the cost of a stored hash, if that cost is higher.
    func raiseHighestCost(of phcString: String?) {
        if let stored = phcString.flatMap({ ScryptHash(phcString: $0) }) { _ = raiseHighestCost(to: stored.cost) }
    }

    private func raiseHighestCost(to cost: Int) -> Int {
        highestCost.withLock { highest in
            highest = max(highest, cost)
            return highest
        }
    }

    private func onThread<Value: Sendable>(
        for user: UserID?, _ work: @escaping @Sendable () throws -> Value
    ) async throws(GatewayError) -> Value {
        let refusal = waiting.withLock { waiting -> GatewayError? in
            if let user, waiting.users.contains(user) { return .rateLimited(retryAfterSeconds: 1) }
            guard waiting.count <= Self.maxQueued, user == nil || waiting.users.count < Self.maxOfSignedIn else {
                return .unavailable
            }
            waiting.count += 1
            if let user { waiting.users.insert(user) }
            return nil
        }
        if let refusal { throw refusal }
        defer {
            waiting.withLock { waiting in
                waiting.count -= 1
                if let user { waiting.users.remove(user) }
            }
        }
        do {
            return try await thread.run(work)
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

    /// Parses `$scrypt$ln=17,r=8,p=1$salt$key`, base64 without padding (the PHC string format).
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

    /// The key of the HMACs that `==` compares instead of the keys, because that comparison takes
    /// constant time. It need not be secret.
    private static let comparisonKey = SymmetricKey(data: [UInt8](repeating: 0, count: 32))

    private static func base64(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    private static func padded(_ text: Substring) -> String {
        text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}

/// The rules for passwords: a minimum length, a maximum length, and a list of common passwords that
/// are rejected. There are no other rules.
package enum PasswordRules {
    /// The minimum length in Unicode code points (NIST SP 800-63B-4, section 3.1.1.2, for a single factor).
    package static let minCharacters = 15
    /// The maximum length in bytes of UTF-8: longer passwords are rejected before they are hashed.
    package static let maxBytes = 1024

    /// - Throws: `.invalid` with `too_short`, `too_long` or `too_common`.
    package static func check(_ password: Secret<String>, field: String) throws(GatewayError) {
        if let problem = problem(with: password) { throw .invalid(field, problem) }
    }

    /// A stable code for the violated rule, or `nil` if the password is acceptable.
    package static func problem(with password: Secret<String>) -> String? {
        let text = password.reveal()
        if text.utf8.count > maxBytes { return "too_long" }
        if text.unicodeScalars.count < minCharacters { return "too_short" }
        if common.contains(text.lowercased()) { return "too_common" }
        return nil
    }

    /// Common passwords of at least the minimum length, from the top of lists of leaked passwords. Lower case.
    private static let common: Set<String> = Set(
        """
        123456789012345 1234567890123456 12345678901234567890 123456789123456 1234567891234567 123456789123456789
        111111111111111 1111111111111111 000000000000000 0000000000000000 987654321987654321 112233445566778899
        123123123123123 123456123456123456 1234512345123451 098765432109876 0987654321098765 123321123321123321
        passwordpassword password1234567 password12345678 password123456789 password1password1 passwordpassword1
        mypasswordispassword thisismypassword thisisapassword thisispassword1 passwordispassword changemechangeme
        changethispassword pleasechangeme1 letmeinletmein1 letmeinletmeinletmein letmeinpleaseletmein iloveyouiloveyou
        iloveyousomuch1 iloveyousomuch123 iloveyouforever iloveyouforever1 iloveyou123456789 iloveyou1234567
        qwertyuiopasdfgh qwertyuiopasdfghjkl qwertyuiop123456 qwertyuiop1234567890 qwertyqwertyqwerty qwertyuiopqwertyuiop
        qwerty123456789 qwerty1234567890 qwertyuiopasdfghjklzxcvbnm qwertyuiopasdfghjklzxcvb asdfghjklasdfghjkl
        asdfghjkl123456 asdfghjklzxcvbnm zxcvbnmasdfghjkl zxcvbnmzxcvbnm1 1qaz2wsx3edc4rfv 1qaz2wsx3edc4rfv5tgb
        1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1q2w3e4r5t1q2w3e4r5t q1w2e3r4t5y6u7i8 q1w2e3r4t5y6u7i8o9p0 qazwsxedcrfvtgb
        qazwsxedcrfvtgbyhn abcdefghijklmno abcdefghijklmnop abcdefghijklmnopqrstuvwxyz abcdefgh12345678 abcdefg1234567890
        abc123abc123abc123 abcabcabcabcabc abcd1234abcd1234 a1b2c3d4e5f6g7h8 aaaaaaaaaaaaaaa aaaaaaaaaaaaaaaa
        administrator123 administrator1234 administratoradministrator adminadminadmin adminadminadmin1 admin123admin123
        admin1234567890 superadministrator superadmin12345 rootrootrootroot welcomewelcome1 welcome12345678 welcome123456789
        correcthorsebatterystaple correct-horse-battery-staple correct horse battery staple trustno1trustno1
        footballfootball baseballbaseball superman12345678 monkeymonkeymonkey dragondragondragon sunshinesunshine
        princessprincess michaeljackson1 jesuschristislord jesusislord12345 christianoronaldo cristianoronaldo7
        leicestercityfc manchesterunited manchester-united liverpoolfootballclub realmadridrealmadrid barcelonabarcelona
        computercomputer internetinternet secretsecretsecret testtesttesttest test1234test1234 testpassword1234
        unknownunknown1 whateverwhatever nothingnothing1 opensesameopensesame doorwarddoorward doorward1234567
        doorwardpassword homesweethome123 homesweethome1234 thequickbrownfox thequickbrownfoxjumps maythefourthbewithyou
        maytheforcebewithyou supercalifragilisticexpialidocious everythingisawesome hellohellohello hello123hello123
        """.split(whereSeparator: \.isWhitespace).map(String.init) + ["correct horse battery staple"])
}

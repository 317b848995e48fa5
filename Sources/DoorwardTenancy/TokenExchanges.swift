import Crypto
internal import DoorwardDomain
internal import DoorwardKernel
import FoundationEssentials
import HeapModule
import Synchronization

/// The latest exchange of each session's refresh token. If the response was lost on the network, the client has only the token that it has
/// exchanged. That token is accepted once more, for ten seconds and from the same network.
///
/// The token that follows another one is derived from it with a key of this process. So a repeated response contains the same token,
/// although no token is stored. After a restart no token is accepted twice.
final class TokenExchanges: Sendable {
    /// How long an exchange can be repeated.
    private static let lifetime = Duration.seconds(10)

    private struct Exchange: Comparable {
        let session: SessionID
        /// The digest of the token that was exchanged.
        let digest: [UInt8]
        let network: String?
        let expiresAt: MonotonicInstant
        var isRepeated = false

        static func < (a: Self, b: Self) -> Bool { a.expiresAt < b.expiresAt }
    }

    private struct Table {
        var latest: [SessionID: Exchange] = [:]
        /// Every exchange that has not expired, including earlier ones of a session.
        var expiries = Heap<Exchange>()
    }

    private let clock: any GatewayClock
    private let key: SymmetricKey
    private let table = Mutex(Table())

    init(clock: any GatewayClock, random: RandomSource) {
        (self.clock, key) = (clock, SymmetricKey(data: random.bytes(32)))
    }

    /// The refresh token that replaces `token`. It is derived with the gateway's key.
    func token(after token: Secret<String>) -> Secret<String> {
        let code = HMAC<SHA256>.authenticationCode(for: Data(token.reveal().utf8), using: key)
        return Secret(Base64URL.encode(Array(code)))
    }

    /// Notes an exchange, before it is written. The first one of several concurrent exchanges of a token counts.
    ///
    /// - Parameter address: the client's address; `nil` if it has none, and then nothing can be repeated.
    func begin(_ digest: [UInt8], of session: SessionID, from address: String?) {
        let now = clock.monotonicNow()
        let exchange = Exchange(
            session: session, digest: digest, network: address.map(SignInThrottle.network(of:)),
            expiresAt: now.advanced(by: Self.lifetime))
        table.withLock { table in
            while let first = table.expiries.min, first.expiresAt <= now {
                table.expiries.removeMin()
                if table.latest[first.session]?.digest == first.digest { table.latest[first.session] = nil }
            }
            guard table.latest[session]?.digest != digest else { return }
            table.latest[session] = exchange
            table.expiries.insert(exchange)
        }
    }

    /// Uses up the one repetition of an exchange.
    ///
    /// - Returns: false if this is not the session's latest exchange, it was repeated already, more than ten seconds have passed, or
    ///   the client is in another network: the same IPv4 address, or the same /64 of IPv6.
    func takeRepeat(_ digest: [UInt8], of session: SessionID, from address: String?) -> Bool {
        let now = clock.monotonicNow()
        guard let network = address.map(SignInThrottle.network(of:)) else { return false }
        return table.withLock { table in
            guard let latest = table.latest[session], latest.digest == digest, latest.network == network, now < latest.expiresAt,
                !latest.isRepeated
            else { return false }
            table.latest[session]?.isRepeated = true
            return true
        }
    }
}

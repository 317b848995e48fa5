package import DoorwardDomain
internal import Synchronization

/// Links that sign in the invented people of a demo in the console, with one click. Each link works once, and for ten minutes.
///
/// Only `doorward demo` creates them, and its route answers only programs on the same machine: see ``DemoSignInRoutes``. The secret of
/// a link is in the fragment of its address, which browsers do not send; the page removes it from the address and sends it in a body.
package final class DemoSignInLinks: Sendable {
    /// How long a link works.
    package static let lifetime = Duration.seconds(600)
    /// A link whose remaining time is shorter than this is replaced when it is shown again.
    private static let minLifetime = Duration.seconds(60)

    private struct Link {
        let email: String
        let expiresAt: MonotonicInstant
    }

    let password: Secret<String>
    private let clock: any GatewayClock
    private let random: RandomSource
    private let links = Mutex<[String: Link]>([:])

    /// - Parameter password: the password of all people of the demo.
    package init(password: Secret<String>, clock: any GatewayClock, random: RandomSource) {
        (self.password, self.clock, self.random) = (password, clock, random)
    }

    /// The address that signs a person in: the one that was returned before, unless it was used or works for less than a minute.
    ///
    /// - Parameter gateway: the address of the gateway, such as `http://127.0.0.1:8080`.
    package func address(for email: String, at gateway: String) -> String {
        let now = clock.monotonicNow()
        let token = links.withLock { links in
            links = links.filter { now < $0.value.expiresAt }
            let current = links.first { $0.value.email == email && $0.value.expiresAt >= now.advanced(by: Self.minLifetime) }
            if let current { return current.key }
            // 128 random bits, so that an address fits on a line of a terminal.
            let token = Base64URL.encode(random.bytes(16))
            links[token] = Link(email: email, expiresAt: now.advanced(by: Self.lifetime))
            return token
        }
        return "\(gateway)/#sign-in=\(token)"
    }

    /// Uses a link up.
    ///
    /// - Returns: the email address of its person; `nil` for a link that does not exist, was used, or has expired.
    func take(_ token: Secret<String>) -> String? {
        guard let link = links.withLock({ $0.removeValue(forKey: token.reveal()) }) else { return nil }
        return clock.monotonicNow() < link.expiresAt ? link.email : nil
    }
}

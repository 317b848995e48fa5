internal import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardLocks
internal import DoorwardPolicy
import Synchronization

/// The set-up of a gateway without a super admin: whoever has the token that the program prints at its start makes the first one.
///
/// The token is in memory only, as a digest. It is valid for an hour and for one set-up. Once there is a super admin, every call gets the
/// error of an unknown token.
package final class Setup: UseCases, Sendable {
    /// How long a token is valid.
    package static let lifetime = Duration.seconds(3600)
    /// The maximum number of wrong tokens per minute, of all callers together.
    private static let triesPerMinute = 5

    private struct Issued {
        let digest: [UInt8]
        let deadline: MonotonicInstant
        let expiresAt: Timestamp
    }

    private struct State {
        var issued: Issued?
        var failures = MinuteFailures()
    }

    let kernel: Kernel
    private let hasher: PasswordHasher
    private let signIn: SignIn
    private let devices: Devices
    private let state = Mutex(State())

    package init(_ kernel: Kernel, hasher: PasswordHasher, signIn: SignIn, devices: Devices) {
        (self.kernel, self.hasher, self.signIn, self.devices) = (kernel, hasher, signIn, devices)
    }

    /// Makes a token, which replaces an earlier one.
    ///
    /// - Returns: `nil` if there is a super admin.
    package func offer() -> Offer? {
        guard isOpen else { return nil }
        let token = OneTimeToken.new(random)
        let issued = Issued(
            digest: OneTimeToken.digest(of: token), deadline: clock.monotonicNow().advanced(by: Self.lifetime),
            expiresAt: clock.now().advanced(by: Self.lifetime))
        state.withLock { $0.issued = issued }
        return Offer(token: token)
    }

    private var isOpen: Bool { directory.current.superAdminIDs.isEmpty }

    /// Admits a request with the valid token. The other functions repeat this check; call this one before the request body is read.
    ///
    /// - Parameter token: `nil` if the request has none, which is no try.
    /// - Throws: `.unauthenticated` unless the token is valid; `.rateLimited` for a wrong one if too many were wrong within the last
    ///   minute.
    package func admit(_ token: Secret<String>?, origin: RequestOrigin) async throws(GatewayError) {
        _ = try await verify(token, origin)
    }

    /// What the gateway has so far.
    ///
    /// - Throws: the errors of `admit`.
    package func status(_ token: Secret<String>?, origin: RequestOrigin) async throws(GatewayError) -> SetupStatus {
        let issued = try await verify(token, origin)
        let tenancy = directory.current
        return SetupStatus(
            expiresAt: issued.expiresAt, adapters: devices.adapters.kinds,
            brokers: devices.adapters.all.flatMap { $0.transports.map(\.name) }, userCount: tenancy.userIDs.count,
            portfolioCount: tenancy.portfolioIDs.count, deviceCount: tenancy.deviceIDs.count)
    }

    /// Makes the first super admin, and the first places and a simulated lock if they are named, in one transaction, and signs the person
    /// in. The person is an OWNER of the portfolio, as a super admin may not move a lock.
    ///
    /// - Throws: the errors of `admit`; `.invalid` if the password violates the rules, a place lacks the one above it, or the gateway has no
    ///   simulator; `.alreadyExists` if a user has the address.
    package func complete(
        _ token: Secret<String>?, _ new: NewSetup, origin: RequestOrigin
    ) async throws(GatewayError) -> SignedIn {
        try await admit(token, origin: origin)
        try PasswordRules.check(new.password, field: "password")
        try new.requireParents()
        if new.attachesSimulatedLock, devices.adapters[SetupLock.adapter] == nil { throw .invalid("simulatedLocks", "unknown") }
        let hash = try await hasher.hash(new.password)
        let id: UserID = random.id(at: clock.now())
        let generation = signIn.sessions.generation(of: id)
        let made: (user: User, lock: LockDevice?)
        do {
            made = try await writer.change(
                Caller(userID: id, origin: origin),
                body: { [devices] (draft) throws(GatewayError) in
                    try draft.setUp(new, by: id, hash: hash, check: devices.check)
                },
                afterwards: { made, _ in
                    state.withLock { $0.issued = nil }
                    if let lock = made.lock { devices.attachments.attach(lock) }
                })
        } catch .unauthenticated {
            throw try await refuse(origin)
        }
        return try await signIn.start(for: made.user, generation, origin)
    }

    // MARK: - Private

    /// Checks a token, and counts a wrong one in the same step, so that concurrent tries do not exceed the limit. The valid token is never
    /// limited: it cannot be guessed, and whoever sends wrong ones must not be able to prevent the set-up.
    private func verify(_ token: Secret<String>?, _ origin: RequestOrigin) async throws(GatewayError) -> Issued {
        guard let token else { throw .unauthenticated }
        let digest = OneTimeToken.wellFormed(token).map { OneTimeToken.digest(of: $0) }
        let (now, isOpen) = (clock.monotonicNow(), isOpen)
        let valid = try state.withLock { (state) throws(GatewayError) -> Issued? in
            if isOpen, let issued = state.issued, issued.digest == digest, now < issued.deadline { return issued }
            if let wait = state.failures.wait(limit: Self.triesPerMinute, at: now), wait > .zero {
                throw .rateLimited(retryAfterSeconds: Int((wait.wholeMilliseconds + 999) / 1000))
            }
            state.failures.add(at: now)
            return nil
        }
        guard let valid else { throw try await signIn.recordFailedSetup(origin) }
        return valid
    }

    /// Counts and records a token that another request has used meanwhile.
    private func refuse(_ origin: RequestOrigin) async throws(GatewayError) -> GatewayError {
        let now = clock.monotonicNow()
        state.withLock { $0.failures.add(at: now) }
        return try await signIn.recordFailedSetup(origin)
    }
}

extension Setup {
    /// A token that was just made. The gateway keeps only its digest.
    package struct Offer: Sendable {
        /// The token for `/api/v1/setup`.
        package let token: Secret<String>

        /// The URL of the set-up page under the gateway's URL `base`, with the token in the fragment; see `OneTimeToken.url`.
        package func url(under base: String) -> Secret<String> { OneTimeToken.url(of: "setup", token, under: base) }
    }
}

/// What a gateway has before its set-up.
package struct SetupStatus: Sendable {
    /// When the token expires.
    package let expiresAt: Timestamp
    /// The kinds of the gateway's adapters, sorted.
    package let adapters: [String]
    /// The names of the configured brokers.
    package let brokers: [String]
    /// The number of users, of whom none is a super admin.
    package let userCount: Int
    /// The number of portfolios.
    package let portfolioCount: Int
    /// The number of attached locks.
    package let deviceCount: Int
}

/// The data of a set-up.
package struct NewSetup: Sendable {
    /// The address that the first super admin signs in with.
    package var email: String
    /// The first name of the first super admin.
    package var firstName: String
    /// The last name of the first super admin; may be empty.
    package var lastName: String
    /// The password, of which only the hash is stored.
    package var password: Secret<String>
    /// The name of the first portfolio; `nil` for none.
    package var portfolio: String?
    /// The first property, in the portfolio; `nil` for none.
    package var property: NewProperty?
    /// The first unit, in the property; `nil` for none.
    package var unit: NewUnit?
    /// Whether a simulated lock is attached to the unit, or to the property if there is no unit.
    package var attachesSimulatedLock: Bool

    package init(
        email: String, firstName: String, lastName: String, password: Secret<String>, portfolio: String? = nil,
        property: NewProperty? = nil, unit: NewUnit? = nil, attachesSimulatedLock: Bool = false
    ) {
        (self.email, self.firstName, self.lastName, self.password) = (email, firstName, lastName, password)
        (self.portfolio, self.property, self.unit) = (portfolio, property, unit)
        self.attachesSimulatedLock = attachesSimulatedLock
    }

    /// - Throws: `.invalid` with the place above one that is named, if it is not.
    fileprivate func requireParents() throws(GatewayError) {
        if property == nil, unit != nil || attachesSimulatedLock { throw .invalid("property", "required") }
        if portfolio == nil, property != nil { throw .invalid("portfolio", "required") }
    }
}

/// The lock that a set-up attaches.
private enum SetupLock {
    static let adapter = "simulator"
    static let name = "Front door (simulated)"
}

extension TenancyUnitOfWork {
    /// - Throws: `.unauthenticated` if there is a super admin.
    fileprivate mutating func setUp(
        _ new: NewSetup, by id: UserID, hash: String, check: AddressCheck
    ) throws(GatewayError) -> (user: User, lock: LockDevice?) {
        guard directory.superAdminIDs.isEmpty else { throw .unauthenticated }
        let person = NewUser(
            email: new.email, firstName: new.firstName, lastName: new.lastName, password: nil, isSuperAdmin: true)
        let user = try create(person, id: id, passwordHash: hash)
        guard let name = new.portfolio else { return (user, nil) }
        let portfolio = try createPortfolio(name, owners: [user.id])
        guard let newProperty = new.property else { return (user, nil) }
        let property = try createProperty(newProperty, in: portfolio.id)
        var unit: Unit?
        if let newUnit = new.unit { unit = try createUnit(newUnit, in: property.id) }
        guard new.attachesSimulatedLock else { return (user, nil) }
        let lock = NewDevice(
            name: SetupLock.name, adapter: SetupLock.adapter, address: [:], propertyID: property.id, unitID: unit?.id)
        return (user, try attach(lock, check: check))
    }
}

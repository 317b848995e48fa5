import Crypto
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials

/// The use cases of API keys: creating, listing and removing them, and finding the key of a request.
package struct APIKeys: UseCases, Sendable {
    let kernel: Kernel

    package init(_ kernel: Kernel) { self.kernel = kernel }

    /// Creates an API key. Its rights never exceed those that the caller holds at the time of a request.
    ///
    /// - Throws: `.invalid` if the key would expire now, before, or after the maximum lifetime; `.denied` if the caller may not
    ///   manage API keys on the entity, or holds neither the role nor a higher one there.
    package func create(_ caller: Caller, _ new: NewAPIKey) async throws(GatewayError) -> IssuedAPIKey {
        let now = clock.credentialNow()
        guard new.expiresAt > now else { throw .invalid("expiresAt", "in_the_past") }
        guard new.expiresAt.duration(since: now) <= APIKey.maxLifetime else { throw .invalid("expiresAt", "out_of_range") }
        let secret = APIKeySecret(id: random.id(at: now), random)
        return try await writer.change(
            caller, reach: [.entity(new.entity)],
            body: { (draft) throws(GatewayError) in
                try draft.require(.apiKeysManage, on: ManagedObject(new.entity))
                return IssuedAPIKey(key: try draft.create(new, secret), secret: secret.text)
            })
    }

    /// The valid API keys that the caller may manage: the caller's own, and those with at most the caller's role on an entity
    /// whose keys the caller may manage.
    package func list(for caller: Caller, _ request: PageRequest<NameOrCreatedAt>) -> Page<APIKey> {
        let (current, now) = (CallerSnapshot(directory, caller), clock.decisionTime())
        let keys = current.tenancy.manageableKeys(by: current.subject).filter {
            current.tenancy.subject(of: .apiKey($0.id), at: now).isEnabled
        }
        return request.page(of: keys, in: current.snapshot)
    }

    /// Removes an API key and every key that was created with it. Once this returns, their requests are rejected and none of
    /// their commands is sent any more.
    ///
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func remove(_ caller: Caller, _ id: APIKeyID, isDryRun: Bool = false) async throws(GatewayError) -> RemovalPreview? {
        let tenancy = directory.current
        var preview = try await writer.remove(
            caller, isDryRun: isDryRun,
            body: { (draft) throws(GatewayError) in draft.end(try draft.directory.manageableKey(id, by: draft.subject)) })
        // The keys themselves are deleted here, so the preview lists them with their names.
        let key = tenancy.apiKey(id)
        preview?.removed = tenancy.apiKeys(of: key?.userID ?? SignIn.nobody).filter { tenancy.descends($0, from: id) }.map {
            RemovalPreview.Removed(target: RecordTarget($0), name: $0.name)
        }
        preview?.ended = []
        return preview
    }

    /// The API key with this secret, if it is valid now. Costs one hash, whether or not there is such a key.
    package func principal(ofSecret text: String) -> Principal? {
        let (tenancy, digest) = (directory.snapshot.directory, APIKeySecret.digest(of: text))
        guard let id = APIKeySecret.id(in: text), let key = tenancy.apiKey(id), key.digest == digest,
            tenancy.subject(of: .apiKey(id), at: clock.decisionTime()).isEnabled
        else { return nil }
        return .apiKey(id)
    }
}

/// The data of an API key to create.
package struct NewAPIKey: Sendable {
    /// Describes the program that uses the key; need not be unique.
    package let name: String
    /// The entity that the role applies to.
    package let entity: AssociatedEntity
    /// One of the entity type's `assignableRoles`.
    package let role: Role
    /// When the key expires, at most `APIKey.maxLifetime` from now.
    package let expiresAt: Timestamp

    package init(name: String, entity: AssociatedEntity, role: Role, expiresAt: Timestamp) {
        (self.name, self.entity, self.role, self.expiresAt) = (name, entity, role, expiresAt)
    }
}

/// An API key that was just created, with the only copy of its secret.
package struct IssuedAPIKey: Sendable {
    /// The key as stored.
    package let key: APIKey
    /// Sent as `Authorization: Bearer …`; the store has only its digest.
    package let secret: Secret<String>
}

/// The secret of an API key: `dw_`, the 16 bytes of the key's id and 32 random bytes, both in base64url.
///
/// The id finds the key without a search; 256 random bits need no slow hash.
struct APIKeySecret {
    static let prefix = "dw_"
    private static let idCharacters = 22
    private static let characters = prefix.utf8.count + idCharacters + 43

    let id: APIKeyID
    let text: Secret<String>

    init(id: APIKeyID, _ random: RandomSource) {
        self.id = id
        let bytes = [id.high, id.low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
        text = Secret(Self.prefix + Base64URL.encode(bytes) + Base64URL.encode(random.bytes(32)))
    }

    static func id(in text: String) -> APIKeyID? {
        guard text.utf8.count == characters, text.hasPrefix(prefix),
            let bytes = Base64URL.decode(text.utf8.dropFirst(prefix.utf8.count).prefix(idCharacters)), bytes.count == 16
        else { return nil }
        let words = [bytes[..<8], bytes[8...]].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
        return APIKeyID(high: words[0], low: words[1])
    }

    static func digest(of text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}

extension TenancyDirectory {
    /// - Throws: `.outOfReach`; for a super admin `.notFound` if the key does not exist, and `.denied` if it does.
    fileprivate func manageableKey(_ id: APIKeyID, by subject: Subject) throws(GatewayError) -> APIKey {
        guard let key = apiKey(id) else { throw .outOfReach(of: subject) }
        guard mayManage(key, subject) else { throw .outOfReach }
        return key
    }

    private func mayManage(_ key: APIKey, _ subject: Subject) -> Bool {
        if subject.isUser(key.userID) { return true }
        return SecurityService.allows(subject, .apiKeysManage, on: ManagedObject(key.entity), in: self).isAllowed
            && SecurityService.holds(key.role, on: key.entity, subject, in: self)
    }

    /// Sorted by id. The cost depends on the keys in the portfolios in which the subject manages keys, not on the keys of others.
    fileprivate func manageableKeys(by subject: Subject) -> [APIKey] {
        if subject.isSuperAdmin { return apiKeyIDs.compactMap { apiKey($0) } }
        let managed = subject.roleEntities.filter {
            SecurityService.allows(subject, .apiKeysManage, on: ManagedObject($0), in: self).isAllowed
        }
        let portfolios = Set(managed.compactMap { portfolioID(of: $0) })
        let keys = (subject.userID.map { apiKeys(of: $0) } ?? []) + portfolios.flatMap { apiKeys(in: $0) }
        let found = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return found.values.filter { mayManage($0, subject) }.sorted { $0.id < $1.id }
    }
}

extension TenancyUnitOfWork {
    /// The maximum length of a chain of keys in which each key created the next one.
    private static let maxGenerations = 4

    fileprivate mutating func create(_ new: NewAPIKey, _ secret: APIKeySecret) throws(GatewayError) -> APIKey {
        let creator = try creator()
        guard SecurityService.holds(new.role, on: new.entity, subject, in: directory) else {
            throw .denied(
                Denial(.roleInsufficient, hasReach: true, missing: .init(role: new.role)), operation: nil, deviceID: nil)
        }
        if let parent = creator.keyID.flatMap({ directory.apiKey($0) }) {
            guard new.expiresAt <= parent.expiresAt else { throw .invalid("expiresAt", "out_of_range") }
            guard directory.generation(of: parent) < Self.maxGenerations else {
                throw .conflict("This API key was itself created with an API key, too many times over; create the key as a user.")
            }
        }
        // Expired keys have no effect; remove them here, so that they do not accumulate.
        for key in directory.apiKeys(of: creator.userID) where key.expiresAt <= time.expiryInstant {
            apply(.removeAPIKey(key.id))
        }
        let key = APIKey(
            id: secret.id, name: new.name, userID: creator.userID, parentID: creator.keyID, entity: new.entity, role: new.role,
            digest: APIKeySecret.digest(of: secret.text.reveal()), createdAt: now, expiresAt: new.expiresAt)
        apply(.putAPIKey(key))
        appendRecord(.create, RecordTarget(key), at: key.entity, after: APIKey.fields.recorded(key))
        return key
    }

    /// The user on whose behalf the caller acts, and the caller's API key.
    ///
    /// - Throws: `.outOfReach` for a principal that is neither a user nor an API key.
    func creator() throws(GatewayError) -> (userID: UserID, keyID: APIKeyID?) {
        switch caller.principal {
        case .user(let id): return (id, nil)
        case .apiKey(let id):
            guard let key = directory.apiKey(id) else { throw .outOfReach }
            return (key.userID, id)
        case .guestLink: throw .outOfReach
        }
    }

}

extension TenancyDirectory {
    /// Whether a key is the key `ancestor`, or was created with it or with one of its descendants.
    fileprivate func descends(_ key: APIKey, from ancestor: APIKeyID) -> Bool {
        key.id == ancestor || key.parentID.flatMap { apiKey($0) }.map { descends($0, from: ancestor) } == true
    }

    /// 1 for a key that a user created, 2 for one that such a key created, and so on.
    fileprivate func generation(of key: APIKey) -> Int {
        1 + (key.parentID.flatMap { apiKey($0) }.map { generation(of: $0) } ?? 0)
    }
}

extension APIKey: NamedItem { package var sortName: String { name } }

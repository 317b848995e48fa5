import DoorwardDomain

/// Encrypts the personal values of one record in the order of the fields, and computes their commitments.
struct ValueSealer {
    private let log: LogID
    private let seq: UInt64
    private let at: Timestamp
    private(set) var sealed: [SealedValue] = []
    /// The most recent owner and its key: most records have one owner.
    private var last: (person: UserID?, owner: PersonKeyOwner, key: PersonKey)?

    init(log: LogID, seq: UInt64, at: Timestamp) { (self.log, self.seq, self.at) = (log, seq, at) }

    /// - Returns: the commitment for the record.
    mutating func seal(
        _ value: String, field: String, person: UserID?, key: (PersonKeyOwner) throws -> PersonKey
    ) throws -> [UInt8] {
        let (owner, personKey) = try ownerKey(of: person, key: key)
        let place = PersonalFieldPath(log: log, seq: seq, field: field)
        let commitment = place.commitment(to: value, salt: place.salt(under: personKey))
        let ciphertext = try place.seal(value, commitment: commitment, under: personKey)
        sealed.append(SealedValue(field: field, owner: owner, ciphertext: ciphertext))
        return commitment
    }

    private mutating func ownerKey(
        of person: UserID?, key: (PersonKeyOwner) throws -> PersonKey
    ) throws -> (PersonKeyOwner, PersonKey) {
        if let last, last.person == person { return (last.owner, last.key) }
        let owner = person.map(PersonKeyOwner.user) ?? PersonKeyOwner.day(of: at)
        let found = try key(owner)
        last = (person, owner, found)
        return (owner, found)
    }
}

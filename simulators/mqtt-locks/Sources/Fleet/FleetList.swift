extension Fleet {
    /// The locks as a gateway needs them: name, profile, variables of the address.
    var list: JSON {
        .list(
            locks.map { lock in
                ["name": .text(lock.name), "profile": .text(lock.profile.rawValue), "address": lock.dialect.variables]
            })
    }
}

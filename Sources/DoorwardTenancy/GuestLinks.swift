package import DoorwardDomain
package import DoorwardKernel
package import DoorwardLocks
internal import DoorwardPolicy

/// The use cases of guest links: creating and ending the link of a guest access, and using a link.
package struct GuestLinks: UseCases, Sendable {
    let kernel: Kernel
    let commands: Commands
    let signIn: SignIn

    package init(_ kernel: Kernel, commands: Commands, signIn: SignIn) {
        (self.kernel, self.commands, self.signIn) = (kernel, commands, signIn)
    }

    /// Creates the link of a guest access. It replaces an earlier link, whose queued commands are denied.
    ///
    /// The holder of the link has the rights of the access, so the caller must be able to grant them
    /// (see `TenancyUnitOfWork.widen`).
    ///
    /// - Throws: the errors of revoking and of granting the access; `.conflict` if the access has ended; `.featureUnavailable`.
    package func create(_ caller: Caller, of id: GuestAccessID) async throws(GatewayError) -> IssuedGuestLink {
        let token = OneTimeToken.new(random)
        return try await writer.change(
            caller, reach: [.guestAccess(id)],
            body: { (draft) throws(GatewayError) in
                let access = try draft.manageable(id)
                var widened = access
                try draft.widen(&widened, from: access)
                guard draft.now < access.endsAt else {
                    throw GatewayError.conflict("This guest access has ended; grant a new one.")
                }
                if let portfolio = draft.directory.property(access.propertyID)?.portfolioID {
                    try draft.require(.guestLinks, in: portfolio)
                }
                let isReplacement = draft.directory.guestLink(of: id) != nil
                if widened != access { draft.apply(.putGuestAccess(widened)) }
                let creator = try draft.creator()
                let link = GuestLink(
                    accessID: id, userID: creator.userID, keyID: creator.keyID, digest: OneTimeToken.digest(of: token),
                    createdAt: draft.now)
                draft.apply(.putGuestLink(link))
                var after = GuestAccess.fields.recordedChanges(from: access, to: widened).after
                after["link"] = .string(isReplacement ? "replaced" : "created")
                draft.appendRecord(.update, RecordTarget(access), at: access.place, after: after)
                return IssuedGuestLink(accessID: id, token: token, expiresAt: access.window.validUntil)
            })
    }

    /// Ends the link of a guest access. Once this returns, no further command of its holder is sent. Without a link, this changes
    /// nothing.
    ///
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    package func end(
        _ caller: Caller, of id: GuestAccessID, isDryRun: Bool = false
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: isDryRun,
            reach: [.guestAccess(id)],
            body: { (draft) throws(GatewayError) in
                let access = try draft.manageable(id)
                guard draft.directory.guestLink(of: id) != nil else { return }
                draft.apply(.removeGuestLink(of: id))
                draft.appendRecord(.update, RecordTarget(access), at: access.place, after: ["link": .string("ended")])
            })
    }

    // MARK: - Use

    /// The holder of a link, by the token in a request.
    ///
    /// A token that gives no access is counted and recorded like a failed sign-in, whatever the cause: it is unknown, replaced or
    /// ended, or its access has ended. The count slows no sign-in. A malformed token is a mistake and is not counted, and a valid
    /// token is never rate limited, because tokens cannot be guessed.
    ///
    /// - Returns: `nil` if the token gives no access.
    /// - Throws: `.rateLimited` if the address has sent too many invalid tokens.
    package func holder(of token: Secret<String>, _ origin: RequestOrigin) async throws(GatewayError) -> GuestLinkHolder? {
        let origin = RequestOrigin(source: .guestLink, clientAddress: origin.clientAddress, requestID: origin.requestID)
        guard let token = OneTimeToken.wellFormed(token) else { return nil }
        let (digest, tenancy) = (OneTimeToken.digest(of: token), directory.current)
        if let link = tenancy.guestLink(digest: digest), let access = tenancy.openAccess(of: link, at: clock.decisionTime()) {
            let caller = Caller(principal: .guestLink(access.id), linkDigest: digest, origin: origin)
            return GuestLinkHolder(caller: caller, access: access)
        }
        try signIn.admitLink(clientAddress: origin.clientAddress)
        _ = try await signIn.recordFailedAttempt(.link, origin)
        return nil
    }

    /// Returns the token from the path after `/g/` if a chat program has appended characters, such as a full stop.
    ///
    /// - Returns: `nil` for a token without further characters, and for a text that does not begin with a token.
    package static func cleanToken(of text: String) -> String? {
        OneTimeToken.wellFormed(Secret(text)).flatMap { $0.reveal() == text ? nil : $0.reveal() }
    }

    /// A command that was sent with a link of this access; `nil` for any other command.
    package func command(_ id: CommandID, of access: GuestAccessID) async throws(GatewayError) -> StoredCommand? {
        guard let found = try await commands.existing(id) else { return nil }
        let actor = found.command.actor
        return actor.kind == .guestLink && actor.id == access.description ? found : nil
    }
}

/// A link that was just created, with the only copy of its token.
package struct IssuedGuestLink: Sendable {
    /// The access of the link.
    package let accessID: GuestAccessID
    /// The token in the URL. It is not stored.
    package let token: Secret<String>
    /// When the access, and with it the link, ends.
    package let expiresAt: Timestamp

    /// The URL of the guest's page, under the gateway's public URL `base`.
    ///
    /// The token is in the path because the page works without a script. The gateway writes no path to its logs.
    package func url(under base: String) -> Secret<String> {
        OneTimeToken.url(of: "g/\(token.reveal())", under: base)
    }
}

/// The holder of a link: the caller of its commands, with the rights of the guest access and no others.
package struct GuestLinkHolder: Sendable {
    /// The principal and the origin of the request.
    package let caller: Caller
    /// The guest access, which has not ended.
    package let access: GuestAccess
}

extension TenancyDirectory {
    /// The access of a link, unless it has ended: it was revoked, its window has ended, or its guest, grantor or devices are gone.
    func openAccess(of link: GuestLink, at now: DecisionTime) -> GuestAccess? {
        guard let access = guestAccess(link.accessID), now.expiryInstant < access.endsAt else { return nil }
        let subject = subject(of: .guestLink(access.id))
        let isOpen = access.deviceIDs.contains { device in
            let decision = SecurityService.decide(subject, .viewStatus, on: device, at: now, override: false, in: self)
            return decision.denial.map { !$0.reason.endsGuestLink } ?? true
        }
        return isOpen ? access : nil
    }
}

extension DenialReason {
    /// Whether a link with this denial gives no access now, nor later unless the tenancy changes.
    fileprivate var endsGuestLink: Bool {
        switch self {
        case .userUnknown, .userDisabled, .deviceUnknown, .deviceUnassigned, .noAssociation, .guestAccessRevoked,
            .grantorLostAccess, .guestWindowEnded, .roleInsufficient:
            true
        case .operationNotGranted, .guestUsesExhausted, .guestWindowNotStarted, .outsideSchedule, .clockUntrusted,
            .featureUnavailable, .capabilityMissing, .remoteOperationDisabled, .lockdownActive:
            false
        }
    }
}

extension TenancyUnitOfWork {
    /// An access that the caller may change.
    fileprivate func manageable(_ id: GuestAccessID) throws(GatewayError) -> GuestAccess {
        guard let access = directory.guestAccess(id) else { throw .outOfReach }
        try directory.requireManagement(of: access, by: subject)
        return access
    }
}

internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// The page of a guest link as it is at one instant: the window, and for each device its state and the permitted buttons.
extension GuestPageView {
    /// - Parameters:
    ///   - token: the token of the link, for the URLs of the buttons.
    ///   - command: the command whose progress is shown; `nil` for none.
    ///   - error: why a command was not sent; `nil` for none.
    init(_ holder: GuestLinkHolder, _ token: String, _ services: Services, command: Command? = nil, error: GatewayError? = nil) {
        let control = services.control
        let (tenancy, now) = (control.directory.current, control.clock.decisionTime())
        let access = tenancy.guestAccess(holder.access.id) ?? holder.access
        let property = tenancy.property(access.propertyID)
        let time = PropertyTime(zone: property?.defaultTimeZone)
        let buttons = GuestButtons(
            caller: holder.caller, begin: access.window.validFrom, token: token, tenancy: tenancy, now: now, time: time,
            nonces: services.guestNonces)
        let running = command.flatMap { $0.state.isEnd ? nil : $0.deviceID }
        let begin = time.text(access.window.validFrom)
        self.init(
            title: property?.name ?? "Guest access",
            notice: now.instant < access.window.validFrom ? "The access begins on \(begin)." : nil)
        values["guest"] = access.guestUserID.flatMap { tenancy.user($0) }?.firstName ?? access.label
        values["unit"] = access.unitID.flatMap { tenancy.unit($0) }?.name
        // `uses` says how often a lock can still be opened, if that is limited.
        var window = [
            "from": begin, "until": time.text(access.window.validUntil), "zone": time.zone,
            "fromInstant": access.window.validFrom.description, "untilInstant": access.window.validUntil.description,
        ]
        window["uses"] = tenancy.usesLeft(of: access).map { "\($0) left" }
        values["window"] = window
        values["devices"] = access.deviceIDs.compactMap { tenancy.device($0) }.map { device in
            buttons.values(
                of: device, access.operations, status: control.devices.status(of: device.id), isMoving: device.id == running)
        }
        if let command { progress = .init(command, lock: tenancy.device(command.deviceID)?.name) }
        if let error { progress = .init(error) }
    }

    // MARK: - Other pages

    /// The response to a link that gives no access, the same in every case.
    static func gone(_ metadata: RequestMetadata) -> APIResponse {
        metadata.wantsJSON ? ErrorResponse.pathUnknown.answer(metadata) : gone.response(404)
    }

    private static var gone: GuestPageView {
        GuestPageView(
            title: "This link does not work",
            notice: "The link has ended, or the address is incomplete. Ask the person who sent it to you for a new one.")
    }

    /// A page with the message of an error, for an error outside the page's own handlers; `nil` for a client that wants JSON.
    static func message(for error: ErrorResponse, _ metadata: RequestMetadata) -> APIResponse? {
        guard !metadata.wantsJSON else { return nil }
        var response = GuestPageView(title: "This did not work", notice: error.message).response(error.status)
        for field in error.headers { response.headers[field.name] = field.value }
        return response
    }
}

/// Decides which buttons a guest page shows.
struct GuestButtons {
    let caller: Caller
    /// The start of the access, which the page's notice names before it.
    let begin: Timestamp
    let token: String
    let tenancy: TenancyDirectory
    let now: DecisionTime
    let time: PropertyTime
    let nonces: GuestNonces

    static let words: [(operation: LockOperation, path: String, label: String)] = [
        (.unlock, "unlock", "Unlock"), (.unlatch, "unlatch", "Unlock and open"), (.lock, "lock", "Lock"),
    ]

    /// The values of a device: a button has a nonce if it can be used, and a reason if it cannot. A reason that all buttons have is
    /// the device's, so that it is shown once.
    func values(of device: LockDevice, _ operations: [LockOperation], status: DeviceStatus, isMoving: Bool) -> [String: Any] {
        let words = Self.words.filter { operations.contains($0.operation) }
        let reasons = words.map { word in
            isMoving ? "Wait until the lock has answered." : decision(word.operation, on: device).denial.map(sentence)
        }
        let shared = reasons.count > 1 && Set(reasons).count == 1 ? reasons[0] : nil
        var values: [String: Any] = ["id": device.id.description, "name": device.name]
        values["state"] = decision(.viewStatus, on: device).isAllowed ? status.sentence : nil
        values["sharedReason"] = shared
        values["buttons"] = zip(words, reasons).map { word, reason in
            let id = "\(word.path)-\(device.id)"
            var button = [
                "id": id, "label": word.label, "lock": device.name, "action": "/g/\(token)/devices/\(device.id)/\(word.path)",
                "reasonID": shared == nil ? id : device.id.description,
            ]
            if shared == nil { button["reason"] = reason }
            if reason == nil, let digest = caller.linkDigest {
                let pressed = GuestButton(linkDigest: digest, deviceID: device.id.description, operation: word.operation)
                button["nonce"] = nonces.nonce(for: pressed, at: now.instant)
            }
            return button
        }
        return values
    }

    private func decision(_ operation: LockOperation, on device: LockDevice) -> Decision {
        SecurityService.decide(caller.principal, operation, on: device.id, at: now, override: false, in: tenancy)
    }

    /// Why a button cannot be used, and when it can be used again.
    private func sentence(_ denial: Denial) -> String {
        switch denial.reason {
        case .guestWindowNotStarted: opening("Not open yet.", denial)
        case .outsideSchedule: opening("Not open at this time.", denial)
        case .guestUsesExhausted: "No uses are left."
        case .guestAccessRevoked, .grantorLostAccess, .guestWindowEnded: "This access has ended."
        case .lockdownActive: "The property is locked down at the moment."
        case .clockUntrusted: "Not possible at the moment: the gateway's clock must be checked. Tell the person who let you in."
        default: denial.reason.sentence
        }
    }

    private func opening(_ sentence: String, _ denial: Denial) -> String {
        guard let opensAt = denial.opensAt, opensAt != begin else { return sentence }
        return "\(sentence) It opens on \(time.text(opensAt))."
    }
}

extension DeviceStatus {
    /// The state for a guest, with its reliability.
    fileprivate var sentence: String {
        let word =
            switch state {
            case .locked: "Locked"
            case .unlocked: "Unlocked"
            case .locking: "Locking"
            case .unlocking: "Unlocking"
            case .unlatched: "Unlocked and open"
            case .jammed: "Jammed"
            case .unknown: "State unknown"
            }
        if isOnline == false { return "\(state == .unknown ? "" : "Last known: \(word). ")The lock cannot be reached." }
        return stateQuality == .confirmed || state == .unknown ? word : "Last known: \(word)"
    }
}

/// The progress of a guest's command in words: what is known, and nothing more.
extension GuestPageView.Progress {
    /// - Parameter lock: the lock's name; `nil` if the lock was detached meanwhile.
    init(_ command: Command, lock: String?) {
        let lock = lock ?? "The lock"
        let (title, text): (String, String) =
            switch command.state {
            case .accepted: ("\(lock): waiting", "The command waits until the lock is free.")
            case .dispatched: ("\(lock): sent", "The command was sent. The lock has not confirmed it yet.")
            case .confirmed: ("\(lock): \(command.operation.participle)", "Confirmed by the lock.")
            case .timedOut, .unknown: (lock, "No confirmation: check the door.")
            case .denied, .failed: ("\(lock): not done", ErrorResponse(ending: command).message)
            }
        self.init(
            title: title, text: text, isRunning: !command.state.isEnd, isGood: command.state == .confirmed,
            isBad: command.state.isEnd && command.state != .confirmed)
    }

    /// The reason why a command was not accepted.
    init(_ error: GatewayError) {
        let (title, text): (String, String) =
            if case .invalid = error {
                ("Tap again", "This page was open for too long, or the button was not from this page. Tap the button again.")
            } else {
                ("Nothing was sent", ErrorResponse(error).message)
            }
        self.init(title: title, text: text, isRunning: false, isGood: false, isBad: true)
    }
}

extension LockOperation {
    fileprivate var participle: String {
        switch self {
        case .lock: "locked"
        case .unlatch: "unlocked and open"
        default: "unlocked"
        }
    }
}

/// Formats instants as local times of a property, for people.
struct PropertyTime: Sendable {
    /// The zone that the times are in, such as `Europe/Berlin`; `UTC` if the system does not know the property's zone.
    var zone: String { rules.name }
    let rules: TimeZoneRules

    /// - Parameter zone: the property's `defaultTimeZone`; `nil` for UTC.
    init(zone: String?) { rules = zone.flatMap { TimeZoneDatabase.system.rules(of: $0) } ?? TimeZoneDatabase.system.utc }

    /// Such as `Thursday 24 December 2026, 15:00 (UTC+01:00)`. Seconds are shown only if there are any.
    func text(_ instant: Timestamp) -> String {
        let local = rules.local(at: instant)
        let milliseconds = local.milliseconds.flooredRemainder(by: 86_400_000)
        let seconds = Int(milliseconds / 1000)
        let clock = [seconds / 3600, seconds / 60 % 60] + (seconds % 60 == 0 ? [] : [seconds % 60])
        let time = clock.map(Self.two).joined(separator: ":")
        return "\(Self.day(local.date)), \(time) (\(offset(local.milliseconds, instant)))"
    }

    private func offset(_ localMilliseconds: Int64, _ instant: Timestamp) -> String {
        let minutes = Int((localMilliseconds - instant.milliseconds) / 60_000)
        guard minutes != 0 else { return "UTC" }
        return "UTC\(minutes < 0 ? "-" : "+")\(Self.two(abs(minutes) / 60)):\(Self.two(abs(minutes) % 60))"
    }

    private static func day(_ date: CivilDate) -> String {
        // 1970-01-01 was a Thursday.
        let weekday = Int((date.daysSinceEpoch + 3).flooredRemainder(by: 7))
        return "\(weekdays[weekday]) \(date.day) \(months[date.month - 1]) \(date.year)"
    }

    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]

    static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// The remainder of `flooredQuotient`, which is never negative for a positive divisor.
    fileprivate func flooredRemainder(by divisor: Int64) -> Int64 { self - flooredQuotient(by: divisor) * divisor }
}

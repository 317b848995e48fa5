package import DoorwardDomain

/// Decides which operations and management permissions a subject has. Decisions are pure: the same snapshot, instant and request give
/// the same decision, and nothing else is read or written. A doubtful case is denied.
package enum SecurityService {
    /// Decides one operation on one lock.
    ///
    /// - Parameters:
    ///   - instant: the time of the operation, by the gateway's clock.
    ///   - override: whether the caller gave a reason to override a lockdown. An override with nothing to override is ignored.
    ///   - directory: the snapshot that the subject was resolved in.
    /// - Returns: `allowed` with the most specific rule that allows it, or `denied` with the one reason that is nearest to being
    ///   allowed, and with whether the subject may know that the device exists.
    package static func decide(
        _ subject: Subject, _ operation: LockOperation, on device: DeviceID, at instant: Timestamp, override: Bool,
        in directory: TenancyDirectory
    ) -> Decision {
        decide(subject, operation, on: directory.resolve(device), at: instant, override: override, in: directory)
    }

    /// Resolves a principal in a snapshot and decides: for a single decision, as at the dispatch gate.
    package static func decide(
        _ principal: Principal, _ operation: LockOperation, on device: DeviceID, at instant: Timestamp, override: Bool,
        in directory: TenancyDirectory
    ) -> Decision {
        // Resolve the device before the user, so that the processor waits for the memory of both at once.
        let device = directory.resolve(device)
        return directory.withSubject(of: principal) { subject in
            decide(subject, operation, on: device, at: instant, override: override, in: directory)
        }
    }

    /// Decides for a device that was resolved in the same snapshot; `nil` for a device that does not exist.
    package static func decide(
        _ subject: Subject, _ operation: LockOperation, on device: DeviceNode?, at instant: Timestamp, override: Bool,
        in directory: TenancyDirectory
    ) -> Decision {
        guard let device else {
            return .denied(Denial(subject.denialReason ?? .deviceUnknown, hasReach: subject.isSuperAdmin))
        }
        if let reason = subject.denialReason {
            return .denied(Denial(reason, hasReach: reaches(subject, EntityPath(device), at: instant, in: directory)))
        }
        let request = AccessRequest(operation: operation, device: device, instant: instant)
        var granting: Rule?
        var nearest: RuleFailure?
        forEachRule(reaching: request, for: subject, in: directory) { rule, verdict in
            if case .failed(let failure) = verdict {
                failure.replace(&nearest)
                return .next
            }
            guard case .role(let held, .tenantCommonArea?) = rule else {
                // The most specific rule comes first.
                granting = granting ?? rule.rule
                return .stop
            }
            // Several units may share the device: report the smallest id.
            if granting?.sortKey.map({ $0 < held.id.cast() }) != true { granting = held.rule }
            return .next
        }
        if let granting { return request.decision(allowedBy: granting) }
        return .denied(request.denial(nearest))
    }

    /// Calls `body` with each rule that reaches the requested device and with its verdict; see the other `forEachRule`.
    @inline(__always)
    static func forEachRule(
        reaching request: AccessRequest, for subject: Subject, in directory: TenancyDirectory,
        _ body: (ReachingRule, RuleVerdict) -> IterationStep
    ) {
        forEachRule(reaching: EntityPath(request.device), for: subject, at: request.instant, in: directory) { rule in
            body(rule, request.verdict(on: rule, in: directory))
        }
    }
}

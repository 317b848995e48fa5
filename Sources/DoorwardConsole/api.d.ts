// The objects of the API, for the types in the comments of the console's modules.
// Printed from the field tables by ConsoleTypesTests; not edited by hand.
declare namespace API {
  interface APIKey {
    id: string;
    name: string;
    entityType: 'PORTFOLIO' | 'PROPERTY' | 'UNIT';
    entityId: string;
    role: 'SUPER_ADMIN' | 'OWNER' | 'PORTFOLIO_ADMIN' | 'PROPERTY_MANAGER' | 'MAINTENANCE' | 'AUDITOR' | 'TENANT' | 'GUEST';
    userId: string;
    createdAt: string;
    expiresAt: string;
  }
  interface AccessRecord {
    logId?: string;
    seq?: number;
    id: string;
    at: string;
    kind: 'COMMAND_INTENT' | 'COMMAND_OUTCOME' | 'DENIAL' | 'DEVICE_EVENT' | 'ADMIN_CHANGE' | 'SESSION' | 'GATEWAY';
    operation: 'LOCK' | 'UNLOCK' | 'UNLATCH' | 'VIEW_STATUS' | 'CHANGE_SETTINGS' | 'VIEW_ACCESS_HISTORY' | 'GRANT_ACCESS' | 'LOCKDOWN' | null;
    decision: 'ALLOWED' | 'DENIED' | null;
    reason?: 'user_unknown' | 'user_disabled' | 'device_unknown' | 'device_unassigned' | 'no_association' | 'guest_access_revoked' | 'grantor_lost_access' | 'role_insufficient' | 'operation_not_granted' | 'guest_window_ended' | 'guest_uses_exhausted' | 'guest_window_not_started' | 'outside_schedule' | 'clock_untrusted' | 'feature_unavailable' | 'capability_missing' | 'remote_operation_disabled' | 'lockdown_active' | null;
    rule?: { kind: 'ASSOCIATION' | 'GUEST_ACCESS' | 'SUPER_ADMIN'; id: string | null; role: 'SUPER_ADMIN' | 'OWNER' | 'PORTFOLIO_ADMIN' | 'PROPERTY_MANAGER' | 'MAINTENANCE' | 'AUDITOR' | 'TENANT' | 'GUEST' | null } | null;
    actor?: string | null;
    actorKind?: 'USER' | 'GUEST_LINK' | 'API_KEY' | 'DEVICE' | 'GATEWAY' | 'OUTSIDE';
    actorId?: string | null;
    actorName?: string | null;
    actorUserId?: string | null;
    source?: 'API' | 'CONSOLE' | 'CLI' | 'GUEST_LINK' | 'DEVICE' | 'GATEWAY';
    clientAddress?: string | null;
    requestId?: string | null;
    deviceId: string | null;
    deviceName?: string | null;
    unitId?: string | null;
    propertyId?: string | null;
    portfolioId?: string | null;
    commandId?: string | null;
    outcome: 'ACCEPTED' | 'DISPATCHED' | 'CONFIRMED' | 'FAILED' | 'TIMED_OUT' | 'UNKNOWN' | 'DENIED' | null;
    outcomeDetail?: string | null;
    stateBefore?: 'LOCKED' | 'UNLOCKED' | 'LOCKING' | 'UNLOCKING' | 'UNLATCHED' | 'JAMMED' | 'UNKNOWN' | null;
    stateAfter?: 'LOCKED' | 'UNLOCKED' | 'LOCKING' | 'UNLOCKING' | 'UNLATCHED' | 'JAMMED' | 'UNKNOWN' | null;
    latencyMs?: number | null;
    statedReason?: string | null;
    override?: { reason: string } | null;
    event: 'LOCKED' | 'UNLOCKED' | 'UNLATCHED' | 'JAMMED' | 'TAMPER' | 'OFFLINE' | 'ONLINE' | 'BATTERY_LOW' | 'DOOR_OPENED' | 'DOOR_CLOSED' | 'DOOR_FORCED' | 'ATTEMPT_FAILED' | 'KEYPAD_LOCKOUT' | 'CREDENTIAL_CHANGED' | 'COMMAND_DELIVERED_LATE' | 'SIGNED_IN' | 'SIGNED_OUT' | 'SIGN_IN_FAILED' | 'REFRESH_REUSED' | 'START' | 'STOP' | 'CLOCK_STEP' | 'CHECKPOINT' | 'CHECKPOINT_MISMATCH' | 'KEY_ROTATED' | 'RECOVERED' | 'DENIALS_SUPPRESSED' | 'EXPORT' | 'ERASURE' | 'RETENTION_CUT' | null;
    method: 'MANUAL' | 'KEYPAD' | 'KEY' | 'BUTTON' | 'AUTO' | 'RFID' | 'FINGERPRINT' | 'FOB' | 'APP' | 'SCHEDULE' | 'REMOTE' | 'UNKNOWN' | null;
    action?: 'CREATE' | 'UPDATE' | 'DELETE' | 'ASSIGN' | 'REMOVE' | 'GRANT' | 'REVOKE' | 'MOVE' | 'DISABLE' | 'ENABLE' | null;
    targetType?: string | null;
    targetId?: string | null;
    details?: Record<string, any>;
    viewLevel: 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER';
  }
  interface Adapter {
    kind: string;
    health: 'ok' | 'degraded' | 'down';
    problem: string | null;
    deviceCount: number;
    onlineCount: number;
    address: ({ field: string; type: 'string' | 'boolean' | 'integer' | 'number' | 'array'; required: boolean; minimum: number | null; maximum: number | null; values: string[] | null; default: any; meaning: string })[];
    transports: ({ name: string; health: 'ok' | 'degraded' | 'down'; problem: string | null; portfolioId: string | null })[];
  }
  interface AuditedLog {
    id: string;
    portfolioId: string | null;
    origin: string;
    size: number;
    lastCheckpointAt: string | null;
    isContradicted: boolean;
  }
  interface Backup {
    file: string;
    bytes: number;
    at: string;
    logs: { id: string; size: number }[];
  }
  interface Clock {
    isTrusted: boolean;
    reason: 'below_mark' | 'stepped_forward' | 'agreeing' | null;
    at: string;
    mark: string;
    isSynchronised: boolean;
    maxStepSeconds: number;
    lastStep: { before: string; after: string; stepMs: number } | null;
  }
  interface Command {
    id: string;
    deviceId: string;
    operation: 'LOCK' | 'UNLOCK' | 'UNLATCH' | 'VIEW_STATUS' | 'CHANGE_SETTINGS' | 'VIEW_ACCESS_HISTORY' | 'GRANT_ACCESS' | 'LOCKDOWN';
    state: 'ACCEPTED' | 'DISPATCHED' | 'CONFIRMED' | 'FAILED' | 'TIMED_OUT' | 'UNKNOWN' | 'DENIED';
    actor: { kind: 'USER' | 'GUEST_LINK' | 'API_KEY' | 'DEVICE' | 'GATEWAY' | 'OUTSIDE'; id: string | null; name: string | null } | string | null;
    source?: 'API' | 'CONSOLE' | 'CLI' | 'GUEST_LINK' | 'DEVICE' | 'GATEWAY';
    reason?: string | null;
    override?: { reason: string } | null;
    rule?: { kind: 'ASSOCIATION' | 'GUEST_ACCESS' | 'SUPER_ADMIN'; id: string | null; role: 'SUPER_ADMIN' | 'OWNER' | 'PORTFOLIO_ADMIN' | 'PROPERTY_MANAGER' | 'MAINTENANCE' | 'AUDITOR' | 'TENANT' | 'GUEST' | null };
    sent?: boolean | null;
    changed?: boolean | null;
    outcomeDetail?: string | null;
    stateBefore?: 'LOCKED' | 'UNLOCKED' | 'LOCKING' | 'UNLOCKING' | 'UNLATCHED' | 'JAMMED' | 'UNKNOWN' | null;
    stateAfter?: 'LOCKED' | 'UNLOCKED' | 'LOCKING' | 'UNLOCKING' | 'UNLATCHED' | 'JAMMED' | 'UNKNOWN' | null;
    requestedAt: string;
    deadline?: string;
    dispatchedAt?: string | null;
    completedAt?: string | null;
    viewLevel: 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER';
  }
  interface ConsistencyProof {
    logId: string;
    from: number;
    to: number;
    hashes: string[];
  }
  interface Decision {
    allowed: boolean;
    operation: 'LOCK' | 'UNLOCK' | 'UNLATCH' | 'VIEW_STATUS' | 'CHANGE_SETTINGS' | 'VIEW_ACCESS_HISTORY' | 'GRANT_ACCESS' | 'LOCKDOWN';
    deviceId: string;
    at: string;
    rule: { kind: 'ASSOCIATION' | 'GUEST_ACCESS' | 'SUPER_ADMIN'; id: string | null; role: 'SUPER_ADMIN' | 'OWNER' | 'PORTFOLIO_ADMIN' | 'PROPERTY_MANAGER' | 'MAINTENANCE' | 'AUDITOR' | 'TENANT' | 'GUEST' | null } | null;
    reason: 'user_unknown' | 'user_disabled' | 'device_unknown' | 'device_unassigned' | 'no_association' | 'guest_access_revoked' | 'grantor_lost_access' | 'role_insufficient' | 'operation_not_granted' | 'guest_window_ended' | 'guest_uses_exhausted' | 'guest_window_not_started' | 'outside_schedule' | 'clock_untrusted' | 'feature_unavailable' | 'capability_missing' | 'remote_operation_disabled' | 'lockdown_active' | null;
    opensAt: string | null;
    closesAt: string | null;
    missing: { role?: 'SUPER_ADMIN' | 'OWNER' | 'PORTFOLIO_ADMIN' | 'PROPERTY_MANAGER' | 'MAINTENANCE' | 'AUDITOR' | 'TENANT' | 'GUEST'; operation?: 'LOCK' | 'UNLOCK' | 'UNLATCH' | 'VIEW_STATUS' | 'CHANGE_SETTINGS' | 'VIEW_ACCESS_HISTORY' | 'GRANT_ACCESS' | 'LOCKDOWN'; capability?: string; module?: string } | null;
    assumes: 'current_rules' | null;
  }
  interface Device {
    id: string;
    name: string;
    adapter?: string;
    address?: Record<string, any>;
    manufacturer?: string | null;
    model?: string | null;
    firmwareVersion?: string | null;
    portfolioId?: string | null;
    propertyId?: string | null;
    propertyName: string | null;
    unitId?: string | null;
    unitName: string | null;
    isRemoteOperationEnabled?: boolean;
    isOnline?: boolean | null;
    lastSeen?: string | null;
    state?: 'LOCKED' | 'UNLOCKED' | 'LOCKING' | 'UNLOCKING' | 'UNLATCHED' | 'JAMMED' | 'UNKNOWN';
    stateQuality?: 'CONFIRMED' | 'RETAINED' | 'ASSUMED' | 'STALE';
    stateAt?: string | null;
    doorState?: 'OPEN' | 'CLOSED' | 'UNKNOWN';
    batteryLevel?: number | null;
    batteryLow?: boolean | null;
    faults?: string[];
    capabilities: string[];
    settings?: { autoRelockSeconds: number | null; hasCode: boolean };
    notes?: string | null;
    metadata?: Record<string, any>;
    createdAt?: string;
    updatedAt?: string;
    viewLevel: 'PUBLIC' | 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER';
  }
  interface DeviceStatus {
    deviceId: string;
    isOnline?: boolean | null;
    lastSeen?: string | null;
    state?: 'LOCKED' | 'UNLOCKED' | 'LOCKING' | 'UNLOCKING' | 'UNLATCHED' | 'JAMMED' | 'UNKNOWN';
    stateQuality?: 'CONFIRMED' | 'RETAINED' | 'ASSUMED' | 'STALE';
    stateAt?: string | null;
    doorState?: 'OPEN' | 'CLOSED' | 'UNKNOWN';
    batteryLevel?: number | null;
    batteryLow?: boolean | null;
    faults?: string[];
  }
  interface DiscoveredDevice {
    id: string;
    name: string | null;
    manufacturer: string | null;
    model: string | null;
    adapter: string;
    address: Record<string, any>;
    capabilities: string[] | null;
    problem: string | null;
    firstSeenAt: string;
    lastSeenAt: string;
  }
  interface GuestAccess {
    id: string;
    guestUserId: string | null;
    guest: { id: string; name: string; email?: string } | null;
    label: string | null;
    propertyId: string;
    unitId: string | null;
    deviceIds: string[];
    operations: ('LOCK' | 'UNLOCK' | 'UNLATCH' | 'VIEW_STATUS' | 'CHANGE_SETTINGS' | 'VIEW_ACCESS_HISTORY' | 'GRANT_ACCESS' | 'LOCKDOWN')[];
    validFrom: string;
    validUntil: string;
    resolution: { timeZone: string | null; validFrom: 'none' | 'gap' | 'overlap'; validUntil: 'none' | 'gap' | 'overlap' };
    schedule: { timeZone: string | null; periods: ({ days: ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[]; from: string; until: string })[]; specialDays: { date: string; periods: { from: string; until: string }[] }[]; specialDayCut: 'instant' | 'start' } | null;
    maxUses: number | null;
    usesLeft: number | null;
    grantedByUserId: string;
    grantedUnderAssociationId?: string;
    revokedAt: string | null;
    createdAt: string;
    viewLevel: 'PUBLIC' | 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER';
  }
  interface GuestAccessDraft {
    label: string | null;
    propertyId: string;
    unitId: string | null;
    deviceIds: string[];
    operations: ('LOCK' | 'UNLOCK' | 'UNLATCH' | 'VIEW_STATUS' | 'CHANGE_SETTINGS' | 'VIEW_ACCESS_HISTORY' | 'GRANT_ACCESS' | 'LOCKDOWN')[];
    validFrom: string;
    validUntil: string;
    resolution: { timeZone: string | null; validFrom: 'none' | 'gap' | 'overlap'; validUntil: 'none' | 'gap' | 'overlap' };
    schedule: { timeZone: string | null; periods: ({ days: ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[]; from: string; until: string })[]; specialDays: { date: string; periods: { from: string; until: string }[] }[]; specialDayCut: 'instant' | 'start' } | null;
    maxUses: number | null;
    usesLeft: number | null;
    grantedByUserId: string;
    grantedUnderAssociationId?: string;
    revokedAt: string | null;
    createdAt: string;
    viewLevel: 'PUBLIC' | 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER';
  }
  interface InclusionProof {
    logId: string;
    seq: number;
    size: number;
    leafHash: string;
    hashes: string[];
  }
  interface Invitation {
    id: string;
    email: string;
    role: 'SUPER_ADMIN' | 'OWNER' | 'PORTFOLIO_ADMIN' | 'PROPERTY_MANAGER' | 'MAINTENANCE' | 'AUDITOR' | 'TENANT' | 'GUEST' | null;
    token: string | null;
    url: string | null;
    expiresAt: string;
  }
  interface Pagination {
    totalItems: number;
    totalPages: number;
    currentPage: number;
    pageSize: number;
  }
  interface PermittedPrincipal {
    principal: { kind: 'USER' | 'GUEST_LINK' | 'API_KEY'; id: string | null; name: string | null };
    rule: { kind: 'ASSOCIATION' | 'GUEST_ACCESS' | 'SUPER_ADMIN'; id: string | null; role: 'SUPER_ADMIN' | 'OWNER' | 'PORTFOLIO_ADMIN' | 'PROPERTY_MANAGER' | 'MAINTENANCE' | 'AUDITOR' | 'TENANT' | 'GUEST' | null };
    until: string | null;
  }
  interface Portfolio {
    id: string;
    name: string;
    administratorUserIds?: string[];
    propertyIds?: string[];
    createdAt?: string;
    updatedAt?: string;
    viewLevel: 'PUBLIC' | 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER';
  }
  interface Property {
    id: string;
    name: string;
    portfolioId?: string;
    address: { street: string | null; city: string | null; state: string | null; postalCode: string | null; country: string | null } | null;
    managerUserIds?: string[];
    unitIds?: string[];
    defaultTimeZone: string | null;
    lockdown: { active: boolean; since?: string | null; byUserId?: string | null; reason?: string | null };
    createdAt?: string;
    updatedAt?: string;
    viewLevel: 'PUBLIC' | 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER';
  }
  interface RemovalPreview {
    removed: { type: string; id: string; name: string }[];
    ended: { type: string; id: string }[];
  }
  interface Retention {
    days: number | null;
    legalHold: boolean;
  }
  interface RoleAssociation {
    id: string;
    userId: string;
    associatedEntityType: 'PORTFOLIO' | 'PROPERTY' | 'UNIT';
    associatedEntityId: string;
    roleWithinEntity: 'SUPER_ADMIN' | 'OWNER' | 'PORTFOLIO_ADMIN' | 'PROPERTY_MANAGER' | 'MAINTENANCE' | 'AUDITOR' | 'TENANT' | 'GUEST';
    createdAt: string;
    updatedAt: string;
  }
  interface Subscription {
    tier: string | null;
    modules: { guestAccess: boolean; recurringSchedules: boolean; guestLinks: boolean; bulkOperations: boolean; accessLogExport: boolean; complianceReport: boolean };
    limits: { maxProperties?: number; maxUnits?: number; maxDevices?: number; maxActiveGuestAccess?: number };
    usage: { properties: number; units: number; devices: number; activeGuestAccess: number };
  }
  interface Unit {
    id: string;
    name: string;
    propertyId: string;
    portfolioId?: string;
    tenantUserIds?: string[];
    deviceIds?: string[];
    commonAreaAccessIds?: string[];
    createdAt?: string;
    updatedAt?: string;
    viewLevel: 'PUBLIC' | 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER';
  }
  interface User {
    id: string;
    email?: string;
    firstName: string;
    lastName?: string;
    isEnabled?: boolean;
    isSuperAdmin?: boolean;
    roleAssociations?: RoleAssociation[];
    guestAccesses?: GuestAccess[];
    defaultPortfolioId?: string | null;
    defaultPropertyId?: string | null;
    defaultUnitId?: string | null;
    hasCompliancePack?: boolean;
    createdAt?: string;
    updatedAt?: string;
    viewLevel: 'PUBLIC' | 'RESIDENT' | 'OPERATIONS' | 'MANAGEMENT' | 'OWNER' | 'SELF';
  }
}

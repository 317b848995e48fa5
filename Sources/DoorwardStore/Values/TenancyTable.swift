/// A table of the tenancy. The cases are ordered so that a table comes after the tables that it references.
enum TenancyTable: String, CaseIterable {
    case portfolios, properties, units, devices, users
    case associations = "role_associations"
    case guestAccesses = "guest_accesses"
    /// The ids of removed users.
    case removedUsers = "removed_users"
    case apiKeys = "api_keys"
    case invitations
    /// The id is the id of the guest access.
    case guestLinks = "guest_links"

    /// All columns in the order in which they are written and read, the id first.
    var columns: [String] {
        switch self {
        case .portfolios:
            [
                "id", "name", "created_at", "updated_at", "tier", "modules", "max_properties", "max_units", "max_devices",
                "max_active_guest_access", "retention_days", "legal_hold",
            ]
        case .properties:
            [
                "id", "name", "portfolio_id", "has_address", "street", "city", "state", "postal_code", "country",
                "default_time_zone", "created_at", "updated_at", "lockdown_since", "lockdown_by", "lockdown_reason",
            ]
        case .units: ["id", "name", "property_id", "portfolio_id", "common_area_ids", "created_at", "updated_at"]
        case .devices:
            [
                "id", "name", "adapter", "address", "metadata", "manufacturer", "model", "firmware_version", "portfolio_id",
                "property_id", "unit_id", "is_remote_operation_enabled", "capabilities", "auto_relock_seconds", "sealed_code",
                "created_at", "updated_at",
            ]
        case .users:
            [
                "id", "email_key", "sealed", "is_enabled", "is_super_admin", "default_portfolio_id", "default_property_id",
                "default_unit_id", "has_compliance_pack", "created_at", "updated_at",
            ]
        case .associations: ["id", "user_id", "entity_type", "entity_id", "role", "created_at", "updated_at"]
        case .guestAccesses:
            [
                "id", "guest_user_id", "label", "property_id", "unit_id", "device_ids", "operations", "valid_from",
                "valid_until", "granted_by_user_id", "granted_under_association_id", "granted_under_role", "revoked_at",
                "created_at", "device_carriers", "time_zone", "resolved_from", "resolved_until", "schedule", "max_uses",
                "widened_under",
            ]
        case .removedUsers: ["id"]
        case .apiKeys:
            [
                "id", "name", "user_id", "parent_id", "entity_type", "entity_id", "role", "digest", "created_at", "expires_at",
            ]
        case .invitations:
            [
                "id", "email", "role", "entity_type", "entity_id", "account_id", "user_id", "key_id", "digest", "created_at",
                "expires_at",
            ]
        case .guestLinks: ["id", "user_id", "key_id", "digest", "created_at"]
        }
    }
}

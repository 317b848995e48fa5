/// An object whose properties use `@Permission`, `@FeatureFlag` and `@HasRole`.
///
///     @MainActor @Observable final class DoorScreen: AccessHolder {
///         let access: AccessContext
///         @ObservationIgnored @Permission(.guestAccessGrant) var canInvite: Bool
///         @ObservationIgnored @FeatureFlag(.guestLinks) var hasLinks: Bool
///         @ObservationIgnored @HasRole(.owner) var isOwner: Bool
///     }
///
/// `@ObservationIgnored` is necessary: without it, `@Observable` turns the property into a computed one, to which no wrapper can be
/// applied. Views are updated nevertheless, because the getter reads an observable provider.
@MainActor public protocol AccessHolder: AnyObject {
    /// What the checks are made against.
    var access: AccessContext { get }
}

/// Whether a right that an action, module or role stands for is present; see `AccessHolder`.
@MainActor @propertyWrapper public struct RequirementCheck<Right: RequiredRight> {
    private let right: Right

    public init(_ right: Right) { self.right = right }

    /// Read through the holder only.
    @available(*, unavailable, message: "declare the property in a class that is an AccessHolder")
    public var wrappedValue: Bool { false }

    /// Reads the right through the holder.
    public static subscript<Holder: AccessHolder>(
        _enclosingInstance holder: Holder, wrapped _: KeyPath<Holder, Bool>, storage storage: KeyPath<Holder, RequirementCheck>
    ) -> Bool {
        holder[keyPath: storage].right.requirement.isMet(in: holder.access)
    }
}

/// Whether the person has a permission; see `AccessHolder`.
public typealias Permission = RequirementCheck<Doorward.Action>
/// Whether a module of the subscription is on; see `AccessHolder`.
public typealias FeatureFlag = RequirementCheck<Doorward.Module>
/// Whether the person holds a role; see `AccessHolder`.
public typealias HasRole = RequirementCheck<Doorward.Role>

/// What stands for a requirement by itself.
public protocol RequiredRight: Sendable {
    /// The requirement.
    var requirement: Requirement { get }
}

extension Doorward.Action: RequiredRight {
    /// The person has the permission.
    public var requirement: Requirement { .permission(self) }
}

extension Doorward.Module: RequiredRight {
    /// The module is on.
    public var requirement: Requirement { .feature(self) }
}

extension Doorward.Role: RequiredRight {
    /// The person holds the role.
    public var requirement: Requirement { .role(self) }
}

/// What permissions and subscriptions are checked against.
@MainActor public struct AccessContext: Sendable {
    /// The permissions; `nil` answers every question with *no*.
    public var permissions: (any PermissionProvider)?
    /// The modules and limits; `nil` answers every question with *no*.
    public var subscriptions: (any SubscriptionProvider)?

    public init(permissions: (any PermissionProvider)?, subscriptions: (any SubscriptionProvider)? = nil) {
        (self.permissions, self.subscriptions) = (permissions, subscriptions)
    }
}

/// What a person needs for an element of a screen, as data. An element whose requirement is not met is not shown.
public indirect enum Requirement: Hashable, Sendable {
    /// A permission.
    case permission(Doorward.Action)
    /// A module of the subscription.
    case feature(Doorward.Module)
    /// A module and a permission.
    case featureAndPermission(Doorward.Module, Doorward.Action)
    /// A role on any entity.
    case role(Doorward.Role)
    /// At least one of these roles.
    case roles([Doorward.Role])
    /// At least one of these permissions.
    case anyPermission([Doorward.Action])
    /// All of these permissions.
    case allPermissions([Doorward.Action])
    /// The role OWNER on the selected portfolio.
    case portfolioOwner
    /// All of these requirements; met by none.
    case all([Requirement])
    /// At least one of these requirements.
    case any([Requirement])

    /// Whether the requirement is met.
    @MainActor public func isMet(in context: AccessContext) -> Bool {
        let permissions = context.permissions
        return switch self {
        case .permission(let action): permissions?.hasPermission(action) ?? false
        case .feature(let module): context.subscriptions?.isFeatureAvailable(module) ?? false
        case .featureAndPermission(let module, let action):
            Requirement.feature(module).isMet(in: context) && Requirement.permission(action).isMet(in: context)
        case .role(let role): permissions?.hasRole(role) ?? false
        case .roles(let roles): permissions?.hasAnyRole(roles) ?? false
        case .anyPermission(let actions): permissions?.hasAnyPermission(actions) ?? false
        case .allPermissions(let actions): permissions?.hasPermissions(actions) ?? false
        case .portfolioOwner: permissions?.isPortfolioOwner ?? false
        case .all(let requirements): requirements.allSatisfy { $0.isMet(in: context) }
        case .any(let requirements): requirements.contains { $0.isMet(in: context) }
        }
    }
}

/// An element of a screen, such as a button of a toolbar or a row of a list, with its requirement.
public struct GatedItem<Content: Sendable>: Sendable {
    /// The element.
    public let content: Content
    /// What a person needs to see it; `nil` for nothing.
    public let requirement: Requirement?

    public init(_ content: Content, requires requirement: Requirement? = nil) {
        (self.content, self.requirement) = (content, requirement)
    }
}

extension Sequence {
    /// The elements of a toolbar or list whose requirements are met.
    @MainActor public func visible<Content>(in context: AccessContext) -> [Content] where Element == GatedItem<Content> {
        filter { $0.requirement?.isMet(in: context) ?? true }.map(\.content)
    }
}

/// A section of a screen with rows. It is hidden if its requirement is not met or it has no visible row.
public struct GatedSection<Content: Sendable>: Sendable {
    /// What a person needs to see the section; `nil` for nothing.
    public let requirement: Requirement?
    /// The rows.
    public let rows: [GatedItem<Content>]

    public init(requires requirement: Requirement? = nil, rows: [GatedItem<Content>]) {
        (self.requirement, self.rows) = (requirement, rows)
    }

    /// The visible rows; empty if the section is to disappear.
    @MainActor public func visibleRows(in context: AccessContext) -> [Content] {
        requirement?.isMet(in: context) ?? true ? rows.visible(in: context) : []
    }
}

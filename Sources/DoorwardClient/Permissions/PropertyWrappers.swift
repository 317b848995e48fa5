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
/// applied. Views are updated all the same, because the getter reads an observable provider.
@MainActor public protocol AccessHolder: AnyObject {
    /// What the checks are made against.
    var access: AccessContext { get }
}

/// Whether the person has a permission; see `AccessHolder`.
@MainActor @propertyWrapper public struct Permission {
    private let action: Doorward.Action

    public init(_ action: Doorward.Action) { self.action = action }

    /// Read through the holder only.
    @available(*, unavailable, message: "declare the property in a class that is an AccessHolder")
    public var wrappedValue: Bool { false }

    /// Reads the permission through the holder.
    public static subscript<Holder: AccessHolder>(
        _enclosingInstance holder: Holder, wrapped _: KeyPath<Holder, Bool>, storage storage: KeyPath<Holder, Permission>
    ) -> Bool {
        Requirement.permission(holder[keyPath: storage].action).isMet(in: holder.access)
    }
}

/// Whether a module of the subscription is on; see `AccessHolder`.
@MainActor @propertyWrapper public struct FeatureFlag {
    private let module: Doorward.Module

    public init(_ module: Doorward.Module) { self.module = module }

    /// Read through the holder only.
    @available(*, unavailable, message: "declare the property in a class that is an AccessHolder")
    public var wrappedValue: Bool { false }

    /// Reads the module through the holder.
    public static subscript<Holder: AccessHolder>(
        _enclosingInstance holder: Holder, wrapped _: KeyPath<Holder, Bool>, storage storage: KeyPath<Holder, FeatureFlag>
    ) -> Bool {
        Requirement.feature(holder[keyPath: storage].module).isMet(in: holder.access)
    }
}

/// Whether the person holds a role; see `AccessHolder`.
@MainActor @propertyWrapper public struct HasRole {
    private let role: Doorward.Role

    public init(_ role: Doorward.Role) { self.role = role }

    /// Read through the holder only.
    @available(*, unavailable, message: "declare the property in a class that is an AccessHolder")
    public var wrappedValue: Bool { false }

    /// Reads the role through the holder.
    public static subscript<Holder: AccessHolder>(
        _enclosingInstance holder: Holder, wrapped _: KeyPath<Holder, Bool>, storage storage: KeyPath<Holder, HasRole>
    ) -> Bool {
        Requirement.role(holder[keyPath: storage].role).isMet(in: holder.access)
    }
}

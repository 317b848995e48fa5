internal import DoorwardDomain

/// Where the leaf of a simulated door is. The contact knows two of the three: what is not home is open.
enum DoorLeaf: Hashable {
    case closed
    case open
    /// Leaning on the frame: a bolt that is thrown now meets the frame's edge.
    case ajar

    var contact: DoorState { self == .closed ? .closed : .open }
}

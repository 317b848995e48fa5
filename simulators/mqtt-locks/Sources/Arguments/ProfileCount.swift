/// Number of locks of a profile: `zigbee2mqtt:10`, or `zigbee2mqtt` for the number in `--count`.
struct ProfileCount: Hashable, Sendable {
    let profile: Profile
    let count: Int?

    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let profile = parts.first.flatMap({ Profile(rawValue: $0) }) else { return nil }
        self.profile = profile
        guard parts.count > 1 else {
            count = nil
            return
        }
        guard let count = Int(parts[1]), count > 0 else { return nil }
        self.count = count
    }
}

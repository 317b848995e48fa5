internal import DoorwardDomain

/// The name of a backup that the gateway wrote by itself: `doorward-20261127T033000Z.db`, with the time at which it was begun.
struct BackupName: Comparable {
    private static let (prefix, suffix, unchecked) = ("doorward-", ".db", ".unchecked")

    /// When the backup was begun, in whole seconds.
    let instant: Timestamp

    init(at instant: Timestamp) {
        self.instant = Timestamp(milliseconds: instant.milliseconds.flooredQuotient(by: 1000) * 1000)
    }

    /// - Returns: `nil` for a file with another name than the gateway gives.
    init?(_ file: String) {
        guard file.utf8.count == Self.prefix.count + "20261127T033000Z".count + Self.suffix.count,
            file.hasPrefix(Self.prefix), file.hasSuffix(Self.suffix)
        else { return nil }
        let text = file.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)
        var spelled = ""
        for (index, character) in text.enumerated() {
            if index == 4 || index == 6 { spelled += "-" }
            if index == 11 || index == 13 { spelled += ":" }
            spelled.append(character)
        }
        guard let instant = try? Timestamp(rfc3339: spelled) else { return nil }
        self.init(at: instant)
        guard self.file == file else { return nil }
    }

    /// The name of the file once the backup was found whole.
    var file: String {
        Self.prefix + instant.description.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" } + "Z" + Self.suffix
    }

    /// The name of the file until then.
    var uncheckedFile: String { file + Self.unchecked }

    /// Whether a file is what a backup that did not end has left: the copy that was not checked yet, or a part of it.
    static func isUnfinished(_ file: String) -> Bool {
        let length = BackupName(at: Timestamp(milliseconds: 0)).file.count
        return file.dropFirst(length).hasPrefix(unchecked) && BackupName(String(file.prefix(length))) != nil
    }

    static func < (a: Self, b: Self) -> Bool { a.instant < b.instant }
}

/// Returns the candidate that `name` is most likely a misspelling of; `nil` if there is none. At most a third of the letters of
/// `name` differ, or one letter in a short name.
package func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    let allowed = max(1, name.count / 3)
    return candidates.map { ($0, editDistance(name.lowercased(), $0.lowercased())) }
        .filter { $0.1 <= allowed }
        .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
}

/// Returns the end of a message about `name`: "; did you mean `lock`?", or an empty text if no candidate is near enough.
package func didYouMean(_ name: String, among candidates: some Sequence<String>) -> String {
    nearestName(to: name, among: candidates).map { "; did you mean `\($0)`?" } ?? ""
}

/// The number of letters to change, add, remove or swap with their neighbour to turn one text into the other.
private func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var rows = [Array(0...b.count)]
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}

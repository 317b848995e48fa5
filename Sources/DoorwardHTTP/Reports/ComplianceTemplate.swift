/// The template of compliance reports. It escapes every value except the charts, which the program writes.
enum ComplianceTemplate {
    static let body = PageTemplate(summary + access + use + denials + changes + incidents + proof)

    private static let summary = """
        <h1>Compliance report</h1>
        <p class="lead"><bdi>{{place}}</bdi></p>
        <dl class="facts">
        {{#facts}}<dt>{{name}}</dt><dd><bdi>{{value}}</bdi></dd>
        {{/facts}}</dl>
        <h2>Figures</h2>
        <dl class="figures">
        {{#figures}}<div><dt>{{name}}</dt><dd data-figure="{{id}}">{{value}}</dd></div>
        {{/figures}}</dl>
        <figure>
        <figcaption>Use of the locks over the period</figcaption>
        {{{bars}}}
        <ul class="legend">
        <li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="confirmed" width="10" height="10"/></svg>command confirmed</li>
        <li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="hand" width="10" height="10"/></svg>operated at the lock</li>
        <li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="failed" width="10" height="10"/></svg>failed or unknown</li>
        <li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="denied" width="10" height="10"/></svg>denied</li>
        </ul>
        </figure>

        """

    private static let access = """
        <h2 id="access">Who had access, and who gave it</h2>
        <p>Each row is one right that was in force at some time of the period. It begins with the record that gives the right and ends
        with the record that takes it; a guest access also begins and ends with its window, and each change of it is a row of its own.
        A right that is older than the first record of the log is taken from the current roles and guest accesses; its row says so. A role
        on the portfolio covers all locks, a role on a property its locks, and a role on a unit the unit's locks and its common areas.
        Super admins are not listed, because they can operate no lock.</p>
        {{^readsPortfolio}}<p class="cut">This report was made for a reader of one property. Roles on the portfolio cover this property
        too; those in force now are listed. Records of when they were given, of former roles on the portfolio, and of disabled accounts
        are outside the property, and not part of this report.</p>{{/readsPortfolio}}
        {{#spansCut}}<p class="cut">{{.}}</p>{{/spansCut}}{{#spansUncounted}}<p class="cut">{{.}}</p>{{/spansUncounted}}
        <div class="wide" role="region" tabindex="0" aria-labelledby="access">
        <table data-table="access">
        <thead><tr><th scope="col">Holder</th><th scope="col">Right</th><th scope="col">On</th><th scope="col">From</th>
        <th scope="col">Until</th><th scope="col">Given</th><th scope="col">Ended</th></tr></thead>
        <tbody>
        {{#spans}}<tr><th scope="row"><bdi>{{holder}}</bdi></th><td><bdi>{{right}}</bdi>{{#notes}}<br><span class="note">{{.}}</span>{{/notes}}</td>
        <td><bdi>{{place}}</bdi></td><td class="time">{{from}}</td><td class="time">{{until}}</td><td><bdi>{{given}}</bdi></td><td><bdi>{{taken}}</bdi></td></tr>
        {{/spans}}{{^spans}}<tr><td colspan="7" class="empty">No right was in force.</td></tr>{{/spans}}
        </tbody></table></div>

        """

    private static let use = """
        <h2 id="use">Who used it</h2>
        <h3 id="people">People and keys</h3>
        {{#peopleCut}}<p class="cut">{{.}}</p>{{/peopleCut}}{{#peopleUncounted}}<p class="cut">{{.}}</p>{{/peopleUncounted}}
        <div class="wide" role="region" tabindex="0" aria-labelledby="people">
        <table data-table="people">
        <thead><tr><th scope="col">Who</th><th scope="col" class="number">Opened</th><th scope="col" class="number">Other confirmed</th>
        <th scope="col" class="number">Failed</th><th scope="col" class="number">Denied</th><th scope="col">First</th><th scope="col">Last</th></tr></thead>
        <tbody>
        {{#people}}<tr><th scope="row"><bdi>{{name}}</bdi></th><td class="number">{{opened}}</td><td class="number">{{other}}</td>
        <td class="number">{{failed}}</td><td class="number">{{denied}}</td><td class="time">{{first}}</td><td class="time">{{last}}</td></tr>
        {{/people}}{{^people}}<tr><td colspan="7" class="empty">No command was sent.</td></tr>{{/people}}
        </tbody></table></div>
        <h3 id="locks">Locks</h3>
        {{#locksCut}}<p class="cut">{{.}}</p>{{/locksCut}}{{#locksUncounted}}<p class="cut">{{.}}</p>{{/locksUncounted}}
        <div class="wide" role="region" tabindex="0" aria-labelledby="locks">
        <table data-table="locks">
        <thead><tr><th scope="col">Lock</th><th scope="col">Property</th><th scope="col" class="number">Opened</th>
        <th scope="col" class="number">Other confirmed</th><th scope="col" class="number">Failed</th><th scope="col" class="number">Denied</th>
        <th scope="col" class="number">At the lock</th><th scope="col" class="number">Offline</th><th scope="col">Offline for</th>
        <th scope="col" class="number">Jams</th></tr></thead>
        <tbody>
        {{#locks}}<tr><th scope="row"><bdi>{{name}}</bdi></th><td><bdi>{{place}}</bdi></td><td class="number">{{opened}}</td>
        <td class="number">{{other}}</td><td class="number">{{failed}}</td><td class="number">{{denied}}</td><td class="number">{{byHand}}</td>
        <td class="number">{{outages}}</td><td class="time">{{offline}}</td><td class="number">{{jams}}</td></tr>
        {{/locks}}{{^locks}}<tr><td colspan="10" class="empty">No lock was used.</td></tr>{{/locks}}
        </tbody></table></div>
        <h3 id="methods">Operated at the lock</h3>
        <p>Locks report these operations by themselves; most locks do not report who operated them.</p>
        <table class="small" data-table="methods">
        <thead><tr><th scope="col">How</th><th scope="col" class="number">Times</th></tr></thead>
        <tbody>
        {{#methods}}<tr><th scope="row">{{name}}</th><td class="number">{{count}}</td></tr>
        {{/methods}}{{^methods}}<tr><td colspan="2" class="empty">None.</td></tr>{{/methods}}
        </tbody></table>

        """

    private static let denials = """
        <h2 id="denials">What was denied, and why</h2>
        {{#reasonChart}}<figure><figcaption>Denied requests by reason</figcaption>{{{.}}}</figure>{{/reasonChart}}
        <div class="wide" role="region" tabindex="0" aria-label="Reasons">
        <table data-table="reasons">
        <thead><tr><th scope="col">Reason</th><th scope="col">Meaning</th><th scope="col" class="number">Times</th></tr></thead>
        <tbody>
        {{#reasons}}<tr><th scope="row">{{reason}}</th><td>{{sentence}}</td><td class="number" data-reason="{{reason}}">{{count}}</td></tr>
        {{/reasons}}{{^reasons}}<tr><td colspan="3" class="empty">Nothing was denied.</td></tr>{{/reasons}}
        </tbody></table></div>
        <h3 id="denied">Denied requests</h3>
        {{#denialsCut}}<p class="cut">{{.}}</p>{{/denialsCut}}
        <div class="wide" role="region" tabindex="0" aria-labelledby="denied">
        <table data-table="denials">
        <thead><tr><th scope="col">Time</th><th scope="col">Who</th><th scope="col">Lock</th><th scope="col">Operation</th>
        <th scope="col">Reason</th><th scope="col" class="number">Record</th></tr></thead>
        <tbody>
        {{#denials}}<tr><td class="time">{{time}}</td><th scope="row"><bdi>{{name}}</bdi></th><td><bdi>{{lock}}</bdi></td><td>{{operation}}</td>
        <td>{{reason}}</td><td class="number reference">{{seq}}</td></tr>
        {{/denials}}{{^denials}}<tr><td colspan="6" class="empty">Nothing was denied.</td></tr>{{/denials}}
        </tbody></table></div>
        <h3 id="overridden">Lockdowns that were overridden</h3>
        {{#overridesCut}}<p class="cut">{{.}}</p>{{/overridesCut}}
        <div class="wide" role="region" tabindex="0" aria-labelledby="overridden">
        <table data-table="overrides">
        <thead><tr><th scope="col">Time</th><th scope="col">Who</th><th scope="col">Lock</th><th scope="col">Operation</th>
        <th scope="col">Stated reason</th><th scope="col" class="number">Record</th></tr></thead>
        <tbody>
        {{#overrides}}<tr><td class="time">{{time}}</td><th scope="row"><bdi>{{name}}</bdi></th><td><bdi>{{lock}}</bdi></td><td>{{operation}}</td>
        <td><bdi>{{reason}}</bdi></td><td class="number reference">{{seq}}</td></tr>
        {{/overrides}}{{^overrides}}<tr><td colspan="6" class="empty">None.</td></tr>{{/overrides}}
        </tbody></table></div>

        """

    private static let changes = """
        <h2 id="changes">Changes</h2>
        {{#changesCut}}<p class="cut">{{.}}</p>{{/changesCut}}
        <div class="wide" role="region" tabindex="0" aria-labelledby="changes">
        <table data-table="changes">
        <thead><tr><th scope="col">Time</th><th scope="col">By</th><th scope="col">Change</th><th scope="col">Of</th><th scope="col">Fields</th>
        <th scope="col" class="number">Record</th></tr></thead>
        <tbody>
        {{#changes}}<tr><td class="time">{{time}}</td><th scope="row"><bdi>{{by}}</bdi></th><td>{{action}}</td><td><bdi>{{target}}</bdi></td>
        <td><bdi>{{fields}}</bdi></td><td class="number reference">{{seq}}</td></tr>
        {{/changes}}{{^changes}}<tr><td colspan="6" class="empty">Nothing was changed.</td></tr>{{/changes}}
        </tbody></table></div>

        """

    private static let incidents = """
        <h2 id="incidents">Locks that were offline or jammed</h2>
        <p>A jam ends when the lock next reports that its bolt moved. Also listed: tamper alarms, forced doors, low batteries and keypad
        lockouts.</p>
        {{#incidentsCut}}<p class="cut">{{.}}</p>{{/incidentsCut}}
        <div class="wide" role="region" tabindex="0" aria-labelledby="incidents">
        <table data-table="incidents">
        <thead><tr><th scope="col">Lock</th><th scope="col">What</th><th scope="col">From</th><th scope="col">Until</th>
        <th scope="col">Duration</th><th scope="col" class="number">Record</th></tr></thead>
        <tbody>
        {{#incidents}}<tr><th scope="row"><bdi>{{name}}</bdi></th><td>{{event}}</td><td class="time">{{from}}</td><td class="time">{{until}}</td>
        <td>{{duration}}</td><td class="number reference">{{seq}}</td></tr>
        {{/incidents}}{{^incidents}}<tr><td colspan="6" class="empty">None.</td></tr>{{/incidents}}
        </tbody></table></div>

        """

    private static let proof = """
        <h2 id="proof">Proof</h2>
        <p>Everything above was computed from one log. The numbers of records are positions in that log, counted from 0. The log is a
        Merkle tree (RFC 6962): the gateway signs its size and root, so that no record can be changed, dropped or inserted unnoticed.
        The checkpoint below was signed when this report was requested; it covers all records that the report uses, and the record of the
        report itself.</p>
        <dl class="facts">
        <dt>Log</dt><dd>{{log}}</dd>
        <dt>Origin</dt><dd data-proof="origin">{{origin}}</dd>
        <dt>Size</dt><dd>{{size}} records</dd>
        <dt>This report</dt><dd>record {{ownRecord}}</dd>
        </dl>
        <h3>Checkpoint</h3>
        <pre data-proof="checkpoint">{{checkpoint}}</pre>
        <h3>Public key</h3>
        <pre data-proof="publicKey">{{publicKey}}</pre>
        <h3>How to verify</h3>
        <p>This page is a summary, and proves nothing by itself. To check it, export the log, verify the export against this checkpoint
        (no gateway is needed for that), and find the records that are named above in the export. Save the checkpoint as
        <code>report.note</code>; take the public key from a source that you trust rather than from this page.</p>
        <pre>doorward audit export --log {{log}} --output log.ndjson
        doorward audit verify log.ndjson --log {{origin}} --public-key gateway.key --checkpoint report.note</pre>
        {{#isProperty}}<p>The log is that of the whole portfolio, but this report covers one property. An export by a person who may read
        only this property proves that each of its records is genuine, but not that no record is missing. A person who may read the whole
        portfolio can export the whole log.</p>{{/isProperty}}

        """
}

// What the console's modules share, for the types in their comments. The objects of the API are in api.d.ts.
declare namespace Console {
  type Ability = import('./Resources/ability.js').Ability;
  type Icon = import('./Resources/parts.js').Icon;
  type Need = import('./Resources/live.js').Need;
  type LiveObjects<T extends Named, N extends Need | null = Need> = import('./Resources/live.js').LiveObjects<T, N>;

  // Pages.

  /** What every page gets: the person, what the person may do, and the frame around the page. */
  interface Context {
    readonly ability: Ability;
    /** The signed-in person: a page is open only while there is one. The sign-in form does not use it. */
    readonly user: API.User;
    readonly live: import('./Resources/live.js').Live;
    readonly commands: import('./Resources/commands.js').Commands;
    /** What pages keep until the sign-out, each under a name of its own. */
    readonly memory: Map<string, unknown>;
    redraw(): void;
    announce(text: string): void;
    go(hash: string): void;
    note(text: string | null, tone?: string): void;
    goWith(hash: string, text: string): void;
    need(needs: Need[]): void;
    lost(ended?: string): void;
  }

  /** A page without data of the gateway, such as the sign-in. `start` makes the state that the others get. */
  interface Form<State, Start extends unknown[] = [path: string[], query: URLSearchParams]> {
    start(context: Context, ...more: Start): State;
    end?(state: State): void;
    title?(state: State): string;
    view(context: Context, state: State): Child;
  }

  /** A page. */
  interface Page<State> extends Form<State> {
    /** Reads everything again. `shown` is called when there is something to see, or the reading has failed. */
    refresh(context: Context, state: State, shown?: () => void): Promise<void>;
    live?(context: Context, state: State, event: string, data: StreamData): void;
    /** `hasBegun` is whether there are new rights. */
    permissionsChanged?(context: Context, state: State, hasBegun: boolean): void;
    commandEnded?(context: Context, state: State, deviceId: string): void;
    key?(context: Context, state: State, event: KeyboardEvent): void;
  }

  /** The page that is open, whichever it is. */
  type Open = Omit<Form<any>, 'start'> & Partial<Omit<Page<any>, 'start'>>;

  /** Something that is read: whether it is there, or why not. */
  interface Resource { status: 'loading' | 'loaded' | 'failed'; error?: Caught | null }
  /** What the states of pages have in common. */
  interface State extends Resource {
    isEnded: boolean;
    /** The instant of the last reading; empty before the first. */
    readAt: string;
  }
  /** What a form is doing. */
  interface Work<Failure = Caught> { isBusy: boolean; error: Failure | null }

  interface Note { tone: string; text: string }
  /** A secret that is shown once. */
  interface Secret { label: string; value: string; isCopied?: boolean }
  /** What keeps which text was copied last, or is shown to be copied by hand. */
  interface Copies { copied?: { id: string; text: string; isShown: boolean } | null }
  interface Place { type: string; id: string }

  /** What `catch` gives: an `APIError`, or another one. */
  interface Caught {
    message?: string;
    status?: number;
    code?: string;
    details?: Details;
    requestId?: string | null;
    retryAfter?: number | null;
    /** Whether two passwords differ; the message says so. */
    isMismatch?: boolean;
    /** Whether the files of this version are not served any more. */
    isUpdate?: boolean;
    /** A sentence in the place of the one that is made of the others. */
    text?: string;
  }
  /** The `details` of an error: of a denial, of fields that are wrong, of a limit, or the command that has failed. */
  type Details = import('./Resources/parts.js').Denial & {
    fields?: { field: string; problem: string }[];
    module?: string;
    limit?: number;
    count?: number;
    command?: API.Command | null;
  };

  // Descriptions.

  type Child = Node | string | number | boolean | null | undefined | Child[];
  type Node = import('./Resources/view.js').Node_;
  type Submit = Event & { target: HTMLFormElement };
  /** An event of a field. A select has no `checked`. */
  type Input = Event & { target: HTMLInputElement };

  /** The properties of an element that is described. */
  interface Props {
    key?: string | number | null;
    created?(el: Element): void;
    onclick?: (event: MouseEvent) => unknown;
    onchange?: (event: Input) => unknown;
    oninput?: (event: Input) => unknown;
    onkeydown?: (event: KeyboardEvent) => unknown;
    onsubmit?: (event: Submit) => unknown;
    oncancel?: (event: Event) => unknown;
    onclose?: () => unknown;
    [name: string]: string | number | boolean | null | undefined | ((of: never) => unknown);
  }

  // Answers.

  interface Named { id: string }

  /** The lists of the API, by their names in its answers. */
  interface Lists {
    accessRecords: API.AccessRecord[];
    adapters: API.Adapter[];
    apiKeys: API.APIKey[];
    devices: API.Device[];
    discoveredDevices: API.DiscoveredDevice[];
    guestAccesses: API.GuestAccess[];
    logs: API.AuditedLog[];
    portfolios: API.Portfolio[];
    properties: API.Property[];
    units: API.Unit[];
    users: API.User[];
  }

  /** The `data` of an answer. A name means the same in each; which of them an answer has depends on the request. */
  interface Answer extends Lists {
    accessRecord: API.AccessRecord;
    backup: API.Backup;
    buckets: Bucket[];
    clock: API.Clock;
    command: API.Command;
    decision: API.Decision;
    device: API.Device;
    entries: API.PermittedPrincipal[];
    guestAccess: API.GuestAccess;
    intervals: Interval[];
    invitation: API.Invitation;
    link: GuestLink;
    nextChangeAt: string | null;
    nextCursor: string | null;
    pagination: API.Pagination;
    permissions: API.Decision[];
    portfolio: API.Portfolio;
    preview: API.RemovalPreview;
    property: API.Property;
    recoveryCodes: string[];
    reset: { url: string; token: string; expiresAt: string };
    results: Result[];
    retention: API.Retention;
    rules: import('./Resources/ability.js').Rule[];
    secret: string;
    sessions: { id: string; createdAt: string; expiresAt: string; isCurrent: boolean }[];
    subscription: API.Subscription;
    token: string;
    unit: API.Unit;
    user: API.User;
    warning: string | null;
  }

  interface Interval { from: string; until: string }
  /** The records of a period, counted by outcome or by reason. */
  interface Bucket extends Interval { counts: Record<string, number> }
  interface GuestLink { url: string; qr: string | null; warning: string | null; expiresAt: string }
  /** What a lockdown has done at a door. */
  interface Result { deviceId: string; decision: API.Decision | null; command: API.Command | null }

  /** The data of an event of the stream. Which of them it has depends on the event, and what its objects are on `type`. */
  interface StreamData {
    name: string;
    names?: string[];
    type: string;
    id: string;
    object: any;
    objects: any[];
    /** Whether it begins a snapshot. */
    isFirst?: boolean;
    code?: string;
    streamId: string;
    resumed: boolean;
    retryAfterMs: number;
  }
}

import type { GuardrailRules } from '../core/guardrail.ts';

/** A guardrail that is managed by the interface (docs/spec/guardrails.md#object). Times are Unix milliseconds. */
export interface StoredGuardrail {
  /** A UUID. */
  readonly id: string;
  readonly accountId: string;
  /** Where it is filed, which applies it to nothing. */
  readonly workspaceId: string | null;
  /** Whether it applies to all requests of the workspace it is filed in. */
  readonly isDefault: boolean;
  readonly name: string;
  readonly description: string | null;
  readonly rules: GuardrailRules;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** The members of a guardrail that its owner can change. */
export type GuardrailChange = Partial<Pick<StoredGuardrail, 'name' | 'description' | 'rules'>>;

/** What a guardrail is assigned to: a key by its hash, or a member by the user's id. */
export type AssigneeKind = 'key' | 'member';

/** A guardrail's assignment to a key or a member, each of which has one at most. */
export interface GuardrailAssignment {
  /** A UUID. */
  readonly id: string;
  readonly guardrailId: string;
  readonly kind: AssigneeKind;
  readonly subject: string;
  /** Of a key. */
  readonly keyName: string;
  readonly keyLabel: string;
  /** The user who assigned it. */
  readonly assignedBy: string | null;
  readonly createdAt: number;
}

/** A phrase of an account that is no prompt injection. */
export interface AllowedPhrase {
  /** A UUID. */
  readonly id: string;
  readonly phrase: string;
  readonly createdAt: number;
  readonly createdBy: string | null;
}

/** A filter of a guardrail of an account. */
export interface NamedFilter {
  readonly accountId: string;
  readonly guardrailId: string;
  /** Its name in pipeline entries. */
  readonly filter: string;
}

/** How often a filter was reported to have found what is none. */
export interface FalsePositives extends Omit<NamedFilter, 'accountId'> {
  readonly reports: number;
  /** A Unix day. */
  readonly lastDay: number;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** What assignments of guardrails are about. */
export interface Assigning {
  readonly accountId: string;
  readonly guardrailId: string;
  readonly kind: AssigneeKind;
  readonly subjects: readonly string[];
}

/** Stores guardrails, their assignments, and the phrases that are no prompt injection. */
export interface GuardrailStore {
  /** @throws HeadgateError `invalid_request` when the account has no such workspace. */
  create(guardrail: StoredGuardrail): Promise<void>;
  find(accountId: string, id: string): Promise<StoredGuardrail | undefined>;
  /** Those filed in a workspace, the default one first, then oldest first, with the total number. */
  list(
    query: Page & { readonly accountId: string; readonly workspaceId: string },
  ): Promise<{ readonly guardrails: readonly StoredGuardrail[]; readonly total: number }>;
  /** Changes what `change` returns for the current state. Undefined when there is none. */
  update(
    accountId: string,
    id: string,
    change: (current: StoredGuardrail) => GuardrailChange,
    now: number,
  ): Promise<StoredGuardrail | undefined>;
  /** Deletes a guardrail and its assignments. False when there is none. */
  delete(accountId: string, id: string): Promise<boolean>;
  /** Assigns a guardrail to some keys or members in place of the ones they had. */
  assign(assigning: Assigning, by: string | null, now: number): Promise<void>;
  /** Removes assignments of a guardrail; returns how many there were. */
  unassign(assigning: Assigning): Promise<number>;
  /** Of one guardrail or of all, oldest first, with the total number. */
  assignments(
    query: Page & { readonly accountId: string; readonly kind: AssigneeKind; readonly guardrailId?: string },
  ): Promise<{ readonly assignments: readonly GuardrailAssignment[]; readonly total: number }>;
  /** The phrases of an account, oldest first. */
  phrases(accountId: string): Promise<readonly AllowedPhrase[]>;
  /**
   * Adds a phrase.
   * @param most How many an account may have.
   */
  allow(
    accountId: string,
    phrase: AllowedPhrase,
    most: number,
  ): Promise<'is there already' | 'too many' | undefined>;
  /** False when there is none. */
  disallow(accountId: string, id: string): Promise<boolean>;
  /** Counts a report that a filter was wrong on a Unix day, and forgets the account's reports of a year before. */
  countFalsePositive(filter: NamedFilter, day: number): Promise<void>;
  /** The filters that were reported since a Unix day, most reports first. */
  falsePositives(accountId: string, since: number): Promise<readonly FalsePositives[]>;
}

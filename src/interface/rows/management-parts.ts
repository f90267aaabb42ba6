/** What only management keys may do (docs/spec/accounts.md#authentication). */
export const managed = { access: 'management', reachesDatabase: true } as const;

/** The same of one thing, which may not be there. */
export const one = { ...managed, failures: ['not_found'] } as const;

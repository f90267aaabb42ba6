import type { AuditEntry } from '../../../clients/headgate-api.ts';

const verbs: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  grant: 'granted',
  refund: 'refunded',
  link: 'login link made',
  rotate: 'rotated',
  test: 'tested',
};

/** What was done, in words: `Key created`. */
export function deedOf({ action }: Pick<AuditEntry, 'action'>): string {
  const [object = '', verb = ''] = action.split('.');
  const noun = object.charAt(0).toUpperCase() + object.slice(1);
  return `${noun} ${verbs[verb] ?? verb.replaceAll('_', ' ')}`;
}

/** One field that an entry says something about. */
export interface ChangedField {
  readonly field: string;
  /** Undefined where there was nothing before. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What an entry changed, field by field; of a refusal, nothing. */
export function changesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly ChangedField[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name) => {
    const [old, now] = [before?.[name], after?.[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [
      {
        field: name.replaceAll('_', ' '),
        before: before === null ? undefined : shown(old),
        after: shown(now),
      },
    ];
  });
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

import type { AuditEntry } from '../../../clients/headgate-api.ts';
import { exactTime } from '../../text/time.ts';

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
export function changesOf(
  { before, after }: Pick<AuditEntry, 'before' | 'after'>,
  zone: string,
): readonly ChangedField[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name) => {
    const [old, now] = [before?.[name], after?.[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [
      {
        field: name.replaceAll('_', ' '),
        before: before === null ? undefined : shown(old, zone),
        after: shown(now, zone),
      },
    ];
  });
}

/**
 * The name of what an entry is about: as the account's lists have it now, else as the entry does; undefined where neither
 * knows it.
 */
export function nameOf(
  { object, before, after }: Pick<AuditEntry, 'object' | 'before' | 'after'>,
  names: ReadonlyMap<string, string>,
): string | undefined {
  if (object.id === null) return undefined;
  const noted = after?.name ?? before?.name;
  return names.get(object.id) ?? (typeof noted === 'string' && noted !== '' ? noted : undefined);
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function shown(value: unknown, zone: string): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return moment.test(value) ? exactTime(value, zone) : value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isSecret(value)) {
    if (!value.set) return 'none';
    return value.changed === true ? 'changed, not shown' : 'set, not shown';
  }
  if (Array.isArray(value)) return value.map((one) => shown(one, zone)).join(', ');
  return JSON.stringify(value);
}

/** Whether it stands for a secret, of which entries say only that there is one, and whether it changed. */
function isSecret(value: unknown): value is { readonly set: boolean; readonly changed?: boolean } {
  if (typeof value !== 'object' || value === null || !('set' in value)) return false;
  return (
    typeof value.set === 'boolean' && Object.keys(value).every((name) => name === 'set' || name === 'changed')
  );
}

import { HeadgateError } from '../../core/errors.ts';
import { permits } from '../../core/roles.ts';
import type { UsageRange } from '../../ports/usage.ts';
import { inBatches } from '../../waiting/in-batches.ts';
import type { KeyActor } from '../actor.ts';
import { showCredentialTo } from '../credentials/show.ts';
import { ownKeysAlone } from '../keys/own-keys.ts';
import { readCall } from '../reports/reports.ts';
import type { Uses } from '../services.ts';
import { visibleTo } from '../usage/series.ts';

/** Something that was found. */
export interface Found extends Findable {
  readonly kind:
    | 'generation'
    | 'session'
    | 'key'
    | 'model'
    | 'provider'
    | 'workspace'
    | 'credential'
    | 'preset'
    | 'guardrail';
  /** Leads to it. */
  readonly id: string;
  /** Of a preset, whose id is unique only there. */
  readonly workspaceId?: string;
  /** For people. */
  readonly name: string;
  /** What it belongs to; null where nothing is. */
  readonly detail: string | null;
}

/** What is found at most, and of each workspace. */
export const mostFound = 20;
const mostWorkspaces = 100;
const mostKeys = 1_000;
const mostCredentials = 200;
const mostPresets = 100;
/** How far back a session is looked for, in milliseconds. */
const sessionRange = 30 * 86_400_000;
/** A session's name is looked for from this length on, so that beginnings of words are not. */
const shortestSession = 6;

type Stores =
  | 'generations'
  | 'callNotes'
  | 'usage'
  | 'workspaces'
  | 'keys'
  | 'credentials'
  | 'presets'
  | 'guardrails';

/**
 * What belongs to the actor and fits a text: a call or a session by its whole id, everything else by name. Of others' things
 * nothing is found. Looks at the newest 1,000 keys of the first 100 workspaces.
 */
export async function searchAccount(
  actor: KeyActor,
  text: string,
  services: Uses<Stores, 'clock'>,
): Promise<readonly Found[]> {
  const call = await findCall(actor, text, services);
  if (call !== undefined) return [call];
  const named = actor.keyKind === 'management' ? await visibleThings(actor, text, services) : [];
  const found = bestMatches(text, named, mostFound);
  if (found.length > 0) return found;
  const session = await findSession(actor, text, services);
  return session === undefined ? [] : [session];
}

/** A call, or a request that was turned away, by its id. */
async function findCall(
  actor: KeyActor,
  id: string,
  services: Uses<'generations' | 'callNotes'>,
): Promise<Found | undefined> {
  if (!/^gen-\S{1,80}$/.test(id)) return undefined;
  try {
    const { generation } = await readCall(actor, id, services);
    return { kind: 'generation', id, name: id, detail: generation.model ?? null, names: [id] };
  } catch (error) {
    if (error instanceof HeadgateError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function findSession(
  actor: KeyActor,
  text: string,
  { storage, clock }: Uses<'usage', 'clock'>,
): Promise<Found | undefined> {
  if (text.length < shortestSession || /\s/.test(text)) return undefined;
  const now = clock.now();
  const range: UsageRange = { from: now - sessionRange, to: now + 1 };
  const filters = { ...visibleTo(actor, {}), accountId: actor.account.id };
  const query = { range, filters, calls: { sessionId: text }, before: undefined, limit: 1 };
  const { generations } = await storage.usage.calls(query);
  if (generations.length === 0) return undefined;
  return { kind: 'session', id: text, name: text, detail: 'requests of the session', names: [text] };
}

/** What each kind of thing that has a name needs of a role. */
const needs = {
  key: 'keys',
  workspace: 'workspace',
  credential: 'credentials',
  preset: 'presets',
  guardrail: 'guardrails',
} as const;

/** Of the things with names those that the actor's role may read. */
async function visibleThings(
  actor: KeyActor,
  text: string,
  services: Parameters<typeof namedThings>[2],
): Promise<readonly Found[]> {
  const { role } = actor;
  const found = await namedThings(actor, text, services);
  return found.filter(({ kind }) => role !== undefined && permits(role, needs[kind], false));
}

/** Something that people gave a name. */
type Named = Found & { readonly kind: keyof typeof needs };

async function namedThings(
  actor: KeyActor,
  text: string,
  { storage }: Uses<'workspaces' | 'keys' | 'credentials' | 'presets' | 'guardrails'>,
): Promise<readonly Named[]> {
  const accountId = actor.account.id;
  const page = { accountId, offset: 0 };
  const { workspaces } = await storage.workspaces.list({ ...page, limit: mostWorkspaces });
  const { credentials } = await storage.credentials.list({ ...page, limit: mostCredentials });
  const inside = await inBatches(workspaces, async ({ id: workspaceId, name: detail }) => {
    const place = { ...page, workspaceId, limit: mostPresets };
    const [keys, { presets }, { guardrails }] = await Promise.all([
      storage.keys.list({ ...place, ...ownKeysAlone(actor), includeDisabled: true, limit: mostKeys }),
      storage.presets.list(place),
      storage.guardrails.list(place),
    ]);
    return [
      ...keys.slice(0, mostKeys).map(({ hash, name, label }): Named => {
        const [id, hashes] = [hash, text.length === hash.length ? [hash] : []];
        return { kind: 'key', id, name: `${name} (${label})`, detail, names: [name, label, ...hashes] };
      }),
      ...presets.map(({ slug, name }): Named => {
        return { kind: 'preset', id: slug, workspaceId, name, detail, names: [name, slug] };
      }),
      ...guardrails.map(
        ({ id, name }): Named => ({ kind: 'guardrail', id, name, detail, names: [name, id] }),
      ),
    ];
  });
  return [
    ...workspaces.map(({ id, name, slug }): Named => {
      return { kind: 'workspace', id, name, detail: null, names: [name, slug, id] };
    }),
    ...credentials.map((credential): Named => {
      const { id, name, label, provider } = showCredentialTo(actor, credential);
      const names = [name ?? '', label, provider, id].filter((one) => one !== '');
      return { kind: 'credential', id, name: name ?? (label || provider), detail: provider, names };
    }),
    ...inside.flat(),
  ];
}

/** Something that can be found by its names. */
interface Findable {
  /** What people may type, the most telling first. */
  readonly names: readonly string[];
}

/** Those that have every word of a text in their names, the best first: whole names, then beginnings, then the rest. */
export function bestMatches<Item extends Findable>(
  text: string,
  items: readonly Item[],
  most: number,
): readonly Item[] {
  const asked = text.toLowerCase();
  const words = asked.split(/\s+/);
  return items
    .flatMap((item) => {
      const names = item.names.map((name) => name.toLowerCase());
      const all = names.join(' ');
      if (!words.every((word) => all.includes(word))) return [];
      return [{ item, rank: rankOf(asked, names), length: names[0]?.length ?? 0 }];
    })
    .toSorted((left, right) => left.rank - right.rank || left.length - right.length)
    .slice(0, most)
    .map(({ item }) => item);
}

function rankOf(asked: string, names: readonly string[]): number {
  if (names.includes(asked)) return 0;
  if (names.some((name) => name.startsWith(asked))) return 1;
  return names.some((name) => name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(asked))) ? 2 : 3;
}

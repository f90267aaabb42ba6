import { HeadgateError } from '../../core/errors.ts';
import type { CallNote, Refusal } from '../../ports/call-notes.ts';
import type { Generation } from '../../ports/generations.ts';
import type { KeyActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { readGeneration } from './read-generation.ts';

/** All that is kept of one call or of a request that was turned away. */
export interface ReadCall {
  readonly generation: Generation;
  readonly refusal?: Refusal | undefined;
  /** How it was routed, where that was kept. */
  readonly note?: CallNote | undefined;
  /** The other calls of its request. */
  readonly related: readonly Generation[];
}

const mostRelated = 100;

/**
 * One call with what is kept beside its record: of the account for a management key, its own for an inference key.
 * @throws HeadgateError `not_found`.
 */
export async function readCall(
  actor: KeyActor,
  id: string,
  { storage }: Uses<'generations' | 'callNotes'>,
): Promise<ReadCall> {
  const note = await storage.callNotes.find(id);
  const isOwn = note !== undefined && note.accountId === actor.account.id;
  const call: ReadCall =
    isOwn && note.refused !== undefined
      ? { ...note.refused, note, related: [] }
      : { ...(await readRecord(actor, id, { storage })), note: isOwn ? note : undefined };
  if (actor.keyKind === 'inference' && call.generation.keyHash !== actor.keyHash) {
    throw new HeadgateError('not_found', 'There is no such generation of this key.');
  }
  return call;
}

async function readRecord(
  actor: KeyActor,
  id: string,
  { storage }: Uses<'generations'>,
): Promise<Pick<ReadCall, 'generation' | 'related'>> {
  const { generation, further } = await readGeneration(actor, id, { storage });
  const { requestId } = generation;
  const isFirst = requestId === generation.id;
  const others = isFirst ? further : await storage.generations.ofRequest(requestId);
  const first = isFirst ? undefined : await storage.generations.find(requestId);
  const related = [...(first === undefined ? [] : [first]), ...others].filter((one) => one.id !== id);
  return { generation, related: related.slice(0, mostRelated) };
}

import { readdir, rename, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../util/message-of.ts';
import type { ApplySource } from './applier.ts';
import { heldFile } from './held-charges.ts';
import { ignoreMissing } from './ignore-missing.ts';
import { lockOwner, type OwnerLock, ownerOfLock } from './owner-lock.ts';
import { salvageFile } from './read-source.ts';
import { ownerOfSegment } from './segment-pool.ts';

/** How often the segments of other processes are looked for while somebody reads, in milliseconds. */
const lookEvery = 200;

/** Told of a file with so many bytes nobody can read, as a power failure leaves; it is kept, and what could be read is booked. */
export type TellUnreadable = (file: string, bytes: number) => void;

/**
 * The segments other processes write or left behind. What a living one wrote is applied and left alone; what a
 * dead one left is applied and deleted. Applying twice changes nothing, so processes need not agree on who does.
 */
export class OtherJournals {
  readonly #directory: string;
  readonly #apply: ApplySource;
  readonly #self: () => string | undefined;
  readonly #tell: TellUnreadable;
  #heldChecked = false;
  /** How far each file was applied by this process. */
  readonly #positions = new Map<string, number>();
  #running: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param self The owner of this process's own segments. */
  constructor(
    directory: string,
    apply: ApplySource,
    self: () => string | undefined,
    tell: TellUnreadable = () => undefined,
  ) {
    this.#directory = directory;
    this.#apply = apply;
    this.#self = self;
    this.#tell = tell;
  }

  /** Applies what there is, unless that was done a moment ago. */
  catchUp(): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    if (performance.now() - this.#lookedAt < lookEvery) return Promise.resolve();
    this.#running = this.#look().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #look(): Promise<void> {
    const names = await listDirectory(this.#directory);
    for (const [owner, segments] of byOwner(names)) {
      if (owner !== this.#self()) await this.#adopt(owner, segments);
    }
    if (names.includes(heldFile)) await this.#applyHeld();
    for (const name of this.#positions.keys()) if (!names.includes(name)) this.#positions.delete(name);
    this.#lookedAt = performance.now();
  }

  async #adopt(owner: string, segments: readonly string[]): Promise<void> {
    // Asked before reading: an owner that dies later leaves nothing this look has not seen to delete.
    const lock = lockOwner(this.#directory, owner);
    try {
      for (const name of segments) await this.#applyFile(name, lock !== undefined);
      if (lock !== undefined) await this.#tidyUp(lock, segments);
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  async #tidyUp(lock: OwnerLock, segments: readonly string[]): Promise<void> {
    for (const name of segments) {
      const path = join(this.#directory, name);
      const { unreadable, used } = salvageFile(path);
      if (unreadable === 0) await unlink(path).catch(ignoreMissing);
      else await this.#keepAside(path, unreadable, used);
    }
    lock.remove();
  }

  /** Perhaps somebody can make more of it. Its name is no segment's from now on. */
  async #keepAside(path: string, bytes: number, used: number): Promise<void> {
    const aside = `${path}.unreadable`;
    await rename(path, aside);
    await truncate(aside, used);
    this.#tell(aside, bytes);
  }

  async #applyHeld(): Promise<void> {
    await this.#applyFile(heldFile, true);
    if (this.#heldChecked) return;
    this.#heldChecked = true;
    const path = join(this.#directory, heldFile);
    const { unreadable } = salvageFile(path);
    if (unreadable > 0) this.#tell(path, unreadable);
  }

  async #applyFile(name: string, finished: boolean): Promise<void> {
    const path = join(this.#directory, name);
    const from = this.#positions.get(name) ?? 0;
    this.#positions.set(name, await this.#apply({ file: path, from, to: undefined, finished }));
  }
}

function byOwner(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const name of [...names].sort()) {
    const owner = ownerOfSegment(name) ?? ownerOfLock(name);
    if (owner === undefined) continue;
    const segments = owners.get(owner) ?? [];
    if (ownerOfSegment(name) !== undefined) segments.push(name);
    owners.set(owner, segments);
  }
  return owners;
}

async function listDirectory(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where no folder can be, nobody left anything.
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new Error(
      `${messageOf(error)}: charges may lie there that belong in the books. Let this user read and write it, or name another data directory.`,
      { cause: error },
    );
  }
}

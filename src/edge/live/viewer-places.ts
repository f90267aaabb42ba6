import { tooMany } from '../../core/too-many.ts';

/** Who watches running requests. */
export interface Viewer {
  readonly keyHash: string;
  readonly accountId: string;
  /** As in docs/spec/dashboard.md#roles. */
  readonly role: 'key' | 'manager' | 'operator';
}

/** Viewers of one process. */
export const mostViewers = 20;
/** Viewers with one key. */
export const mostOfKey = 4;

/** Milliseconds after which a refused viewer may try again. */
const crowdedRetry = 10_000;

interface Share {
  readonly most: number;
  /** Whom it concerns, and who counts in it beside a viewer that it concerns. */
  readonly holds: (viewer: Viewer) => boolean;
  readonly counts: (other: Viewer, viewer: Viewer) => boolean;
  readonly said: string;
}

const isKeyHolder = ({ role }: Viewer) => role === 'key';
const isNoOperator = ({ role }: Viewer) => role !== 'operator';
const isOfSameAccount = (other: Viewer, { accountId }: Viewer) => other.accountId === accountId;

/** What viewers may take of the places, so that some are left for managers and for operators. */
const shares: readonly Share[] = [
  {
    most: mostOfKey,
    holds: () => true,
    counts: (other, { keyHash }) => other.keyHash === keyHash,
    said: 'with this key',
  },
  {
    most: 6,
    holds: isKeyHolder,
    counts: (other, viewer) => isKeyHolder(other) && isOfSameAccount(other, viewer),
    said: 'with inference keys of this account',
  },
  {
    most: 8,
    holds: isNoOperator,
    counts: (other, viewer) => isNoOperator(other) && isOfSameAccount(other, viewer),
    said: 'of this account',
  },
  { most: 12, holds: isKeyHolder, counts: isKeyHolder, said: 'with inference keys' },
  { most: 16, holds: isNoOperator, counts: isNoOperator, said: 'who are no operators' },
  { most: mostViewers, holds: () => true, counts: () => true, said: '' },
];

/** The places for viewers of one process (docs/spec/dashboard.md#live). */
export class ViewerPlaces {
  readonly #viewers = new Set<Viewer>();

  /**
   * Gives a viewer a place.
   * @param now Unix milliseconds.
   * @returns Gives the place back.
   * @throws HeadgateError `platform_rate_limit` for a viewer too many.
   */
  take(viewer: Viewer, now: number): () => void {
    for (const { most, holds, counts, said } of shares) {
      if (!holds(viewer)) continue;
      const taken = [...this.#viewers].filter((other) => counts(other, viewer)).length;
      if (taken >= most) {
        const who = `${most} viewers ${said}`.trimEnd();
        const resetsAt = now + crowdedRetry;
        throw tooMany(`${who} watch this process already.`, { limit: most, resetsAt, now });
      }
    }
    const held = { ...viewer };
    this.#viewers.add(held);
    return () => {
      this.#viewers.delete(held);
    };
  }
}

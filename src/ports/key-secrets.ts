/** A secret that a rotated key is used with. Times are Unix milliseconds. */
export interface KeySecret {
  /** Lowercase hex SHA-256 of the raw secret. */
  readonly hash: string;
  /** Its printable part. */
  readonly label: string;
  readonly createdAt: number;
  /** From then on it is refused; null for the newest one. */
  readonly endsAt: number | null;
  /** SHA-256 of the idempotency key of the rotation that made it; absent without one. */
  readonly requestHash?: string;
}

/** A key as far as its secrets are concerned. */
export interface HasSecrets {
  readonly hash: string;
  /** Oldest first; absent while the key was never rotated. */
  readonly secrets?: readonly KeySecret[];
}

/** Secrets of one key that may work at the same time. */
export const mostSecrets = 8;

/** Whether a key may be used with the secret of this hash. Before its first rotation that is the key's own hash. */
export function acceptsSecret({ hash, secrets }: HasSecrets, secretHash: string, now: number): boolean {
  if (secrets === undefined) return secretHash === hash;
  return secrets.some((one) => one.hash === secretHash && works(one, now));
}

/**
 * The secrets of a key after a rotation. Earlier ones end when the grace time does, or before if that was decided earlier.
 * @param endsAt When the grace time ends.
 */
export function rotatedSecrets(
  key: HasSecrets & { readonly label: string; readonly createdAt: number },
  fresh: KeySecret,
  endsAt: number,
): readonly KeySecret[] {
  const { hash, label, createdAt } = key;
  const now = fresh.createdAt;
  const earlier = (key.secrets ?? [{ hash, label, createdAt, endsAt: null }]).map((one) => ({
    ...one,
    endsAt: Math.min(one.endsAt ?? endsAt, endsAt),
  }));
  return [...earlier.filter((one) => works(one, now)), fresh];
}

/** When the last earlier secret of a key ends; undefined when none works any more. */
export function previousSecretEnd({ secrets = [] }: HasSecrets, now: number): number | undefined {
  const ends = secrets.flatMap(({ endsAt }) => (endsAt === null || endsAt <= now ? [] : [endsAt]));
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function works({ endsAt }: KeySecret, now: number): boolean {
  return endsAt === null || endsAt > now;
}

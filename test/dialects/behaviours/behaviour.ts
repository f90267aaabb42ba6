import type { Feature } from '../../../src/core/features.ts';
import type { DialectScript } from '../dialect-script.ts';
import type { Stage } from '../support/stage.ts';

/** Something every dialect has to do right. */
export interface Behaviour {
  readonly name: string;
  /** What the dialect must be able to say; where it cannot, the behaviour does not apply. */
  readonly says?: readonly Inability[];
  /** What a request of the behaviour uses; where the dialect refuses it, the refusal is what is tried. */
  readonly uses?: readonly Feature[];
  run(stage: Stage): Promise<void>;
}

type Inability = DialectScript['cannot'] extends ReadonlySet<infer Word> ? Word : never;

/** Both ways a client can ask. */
export const modes = [{ stream: false }, { stream: true }] as const;

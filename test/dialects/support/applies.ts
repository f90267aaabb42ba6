import assert from 'node:assert/strict';
import type { Behaviour } from '../behaviours/behaviour.ts';
import type { Stage } from './stage.ts';

/** Whether a behaviour can be tried on a dialect: fully, by how it is refused, or not because no provider says such a thing. */
export type Verdict = 'yes' | 'refused' | 'cannot be said';

/** Decides by what the dialect can say and what its adapter declares. */
export function applies({ says = [], uses = [] }: Behaviour, { dialect, support }: Stage): Verdict {
  if (says.some((word) => dialect.cannot.has(word))) return 'cannot be said';
  return uses.some((feature) => support[feature] === 'refused') ? 'refused' : 'yes';
}

/** Tries a behaviour the endpoint declares it refuses: it must fail because no endpoint is left, and ask no provider. */
export async function tryRefusal(behaviour: Behaviour, stage: Stage): Promise<void> {
  const statuses: number[] = [];
  stage.provider.play();
  const watched: Stage = Object.assign(Object.create(stage) as Stage, {
    say: () => {},
    deliver: () => {},
    ask: async (...request: Parameters<Stage['ask']>) => {
      const got = await stage.ask(...request);
      statuses.push(got.status);
      return got;
    },
  });
  await assert.rejects(behaviour.run(watched));
  assert.deepEqual([...new Set(statuses)], [400]);
  assert.equal(stage.provider.seen.length, 0, 'the provider was not asked');
}

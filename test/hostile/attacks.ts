import type { Attack } from './attack.ts';
import { manyConnections } from './attacks/connections.ts';
import { dashboardPlaces } from './attacks/dashboard-places.ts';
import { endlessAnswers } from './attacks/endless-answers.ts';
import { fileBombs } from './attacks/file-bombs.ts';
import { guardrailTexts } from './attacks/guardrail-texts.ts';
import { isolatedWork } from './attacks/isolated-work.ts';
import { overload } from './attacks/overload.ts';
import { packedBodies } from './attacks/packed-bodies.ts';
import { pipelining } from './attacks/pipelining.ts';
import { refusedBodies } from './attacks/refused-bodies.ts';
import { stalledBodies } from './attacks/stalled-bodies.ts';
import { storedThings } from './attacks/stored-things.ts';
import { unreadIdempotent } from './attacks/unread-idempotent.ts';
import { unreadStreams } from './attacks/unread-streams.ts';

/** Every attack, in the order of the table in docs/resilience.md. */
export const attacks: readonly Attack[] = [
  ...pipelining,
  ...unreadIdempotent,
  ...stalledBodies,
  ...refusedBodies,
  ...packedBodies,
  ...endlessAnswers,
  ...unreadStreams,
  ...overload,
  ...manyConnections,
  ...fileBombs,
  ...guardrailTexts,
  ...isolatedWork,
  ...dashboardPlaces,
  ...storedThings,
];
